// SPDX-License-Identifier: ISC
// Copyright (c) 2026 The sa authors

// Usage: client default|legacy SERVER [ARG...]
//
// The client of the Go SDK. A check prints one line, as t/mcp/mcp-lib.sh reads
// them; which tools are called is said by the file that SA_TEST_MCP_CALLS
// names, and a call that it has not is left out.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The SDK ends a server five seconds after its input: what is sooner went by
// itself.
const soon = 4 * time.Second

const hard = "ünïcode 漢字 😀 \u2028 \"q\" \\"

type call struct {
	Name            string         `json:"name"`
	Arguments       map[string]any `json:"arguments"`
	Progress        *bool          `json:"progress"`
	ProgressSeconds float64        `json:"progress_seconds"`
}

type client struct {
	mode     string
	calls    map[string]call
	session  *mcp.ClientSession
	progress atomic.Int64
	failed   bool
}

func (c *client) loadCalls() error {
	name := os.Getenv("SA_TEST_MCP_CALLS")
	if name == "" {
		return nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, &c.calls)
}

// check runs f, which may give a remark, if there is a call key, or key is "".
func (c *client) check(what, key string,
	f func(context.Context) (string, error)) {
	what = "go, " + c.mode + ": " + what
	if _, ok := c.calls[key]; key != "" && !ok {
		fmt.Printf("ok - %s # skip no tool is named for it\n", what)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	remark, err := f(ctx)
	if err != nil {
		c.failed = true
		why := strings.Join(strings.Fields(err.Error()), " ")
		fmt.Printf("not ok - %s\n# %s\n", what, why)
		return
	}
	fmt.Printf("ok - %s\n", what)
	if remark != "" {
		fmt.Printf("# %s\n", remark)
	}
}

// params is what calls says of key, with each "{name}" in it replaced.
func (c *client) params(key string, values map[string]any) *mcp.CallToolParams {
	arguments := map[string]any{}
	for k, v := range c.calls[key].Arguments {
		if s, ok := v.(string); ok && strings.HasPrefix(s, "{") {
			if value, ok := values[strings.Trim(s, "{}")]; ok {
				v = value
			}
		}
		arguments[k] = v
	}
	return &mcp.CallToolParams{Name: c.calls[key].Name, Arguments: arguments}
}

func (c *client) fine(ctx context.Context, key string) error {
	result, err := c.session.CallTool(ctx, c.params(key, nil))
	if err == nil && (result.IsError || len(result.Content) == 0) {
		err = errors.New("an error, or nothing")
	}
	return err
}

func (c *client) connect(server []string) func(context.Context) (string, error) {
	want := "2026-07-28"
	options := &mcp.ClientSessionOptions{}
	if c.mode == "legacy" {
		want = "2025-11-25"
		options.ProtocolVersion = want
	}
	sdk := mcp.NewClient(&mcp.Implementation{Name: "go", Version: "1"},
		&mcp.ClientOptions{ProgressNotificationHandler: func(context.Context,
			*mcp.ProgressNotificationClientRequest) {
			c.progress.Add(1)
		}})
	return func(ctx context.Context) (string, error) {
		var err error
		command := exec.Command(server[0], server[1:]...)
		c.session, err = sdk.Connect(ctx,
			&mcp.CommandTransport{Command: command}, options)
		if err != nil {
			return "", err
		}
		if got := c.session.InitializeResult().ProtocolVersion; got != want {
			return "", fmt.Errorf("%s, not %s", got, want)
		}
		return want, nil
	}
}

func (c *client) listTools(ctx context.Context) (string, error) {
	result, err := c.session.ListTools(ctx, nil)
	if err != nil {
		return "", err
	}
	if len(result.Tools) == 0 {
		return "", errors.New("there are none")
	}
	return fmt.Sprint(len(result.Tools), " tools"), nil
}

func (c *client) oneCall(ctx context.Context) (string, error) {
	return "", c.fine(ctx, "call")
}

func (c *client) manyCalls(ctx context.Context) (string, error) {
	var all sync.WaitGroup
	errs := make([]error, 20)
	for i := range errs {
		all.Add(1)
		go func() {
			defer all.Done()
			errs[i] = c.fine(ctx, "call")
		}()
	}
	all.Wait()
	return "", errors.Join(errs...)
}

func (c *client) echo(ctx context.Context) (string, error) {
	params := c.params("echo", map[string]any{"text": hard})
	result, err := c.session.CallTool(ctx, params)
	if err != nil {
		return "", err
	}
	text, ok := result.Content[0].(*mcp.TextContent)
	if !ok || !strings.Contains(text.Text, "漢字 😀") {
		return "", errors.New("it is another one")
	}
	return "", nil
}

func (c *client) fails(ctx context.Context) (string, error) {
	result, err := c.session.CallTool(ctx, c.params("fail", nil))
	if err == nil && !result.IsError {
		err = errors.New("isError is not set")
	}
	return "", err
}

func (c *client) unknown(ctx context.Context) (string, error) {
	_, err := c.session.CallTool(ctx, &mcp.CallToolParams{
		Name: "no_such_tool", Arguments: map[string]any{}})
	var rpc *jsonrpc.Error
	if !errors.As(err, &rpc) || rpc.Code != -32602 {
		return "", fmt.Errorf("got %v", err)
	}
	return "", nil
}

func (c *client) watch(ctx context.Context) (string, error) {
	seconds := c.calls["slow"].ProgressSeconds
	if seconds == 0 {
		seconds = 3
	}
	params := c.params("slow", map[string]any{"seconds": seconds})
	params.SetProgressToken("go")
	if _, err := c.session.CallTool(ctx, params); err != nil {
		return "", err
	}
	if c.progress.Load() == 0 {
		return "", errors.New("there was none")
	}
	return fmt.Sprint(c.progress.Load(), " times"), nil
}

func (c *client) takeBack(ctx context.Context) (string, error) {
	short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	params := c.params("slow", map[string]any{"seconds": 30})
	if _, err := c.session.CallTool(short, params); err == nil {
		return "", errors.New("it was answered")
	}
	return c.listTools(ctx)
}

func (c *client) end(context.Context) (string, error) {
	begin := time.Now()
	err := c.session.Close()
	took := time.Since(begin)
	if err == nil && took > soon {
		err = fmt.Errorf("it took %s", took)
	}
	return took.Round(time.Millisecond).String(), err
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: client default|legacy SERVER [ARG...]")
		os.Exit(64)
	}
	c := &client{mode: os.Args[1]}
	if err := c.loadCalls(); err != nil {
		fmt.Fprintln(os.Stderr, "client:", err)
		os.Exit(1)
	}
	c.check("connect", "", c.connect(os.Args[2:]))
	if c.failed {
		os.Exit(1)
	}
	watched := "slow"
	if p := c.calls["slow"].Progress; p != nil && !*p {
		watched = "progress"
	}
	c.check("list tools", "", c.listTools)
	c.check("a call", "call", c.oneCall)
	c.check("20 calls at once", "call", c.manyCalls)
	c.check("text comes back", "echo", c.echo)
	c.check("a tool that fails says so", "fail", c.fails)
	c.check("there is no such tool", "", c.unknown)
	c.check("progress is reported", watched, c.watch)
	c.check("a call is taken back, the next one answered", "slow", c.takeBack)
	c.check("the server ends with its client", "", c.end)
	if c.failed {
		os.Exit(1)
	}
}
