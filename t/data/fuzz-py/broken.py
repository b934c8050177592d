x = "ab"
	if x:
  y