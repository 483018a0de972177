package api

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Object is an object that can be watched.
type Object interface{ Metadata() Meta }

// Change is one line of a watch. A Listing change comes before each list, a Synced change after it.
type Change[T any] struct {
	Kind    string // ADDED, MODIFIED, DELETED, Listing, Synced
	Object  T
	Seen    time.Time
	Version string
}

type list struct {
	Meta  Meta              `json:"metadata"`
	Items []json.RawMessage `json:"items"`
}

// Follow lists a collection and watches it until the context ends, through restarts of the server.
// Objects that vanished while nothing was watched are missing from the next list.
func Follow[T Object](ctx context.Context, c *Client, path string, tell func(Change[T])) error {
	version := ""
	for ctx.Err() == nil {
		if version == "" {
			var all list
			if err := c.Send(ctx, http.MethodGet, path, "", nil, &all); err != nil {
				pause(ctx)
				continue
			}
			tell(Change[T]{Kind: "Listing", Seen: time.Now()})
			for _, item := range all.Items {
				change := Change[T]{Kind: "ADDED", Seen: time.Now(), Version: all.Meta.ResourceVersion}
				if err := json.Unmarshal(item, &change.Object); err != nil {
					return fmt.Errorf("%s: %w", path, err)
				}
				tell(change)
			}
			version = all.Meta.ResourceVersion
			tell(Change[T]{Kind: "Synced", Seen: time.Now(), Version: version})
		}
		var err error
		version, err = follow(ctx, c, path, version, tell)
		if err != nil {
			pause(ctx)
		}
	}
	return nil
}

func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(200 * time.Millisecond):
	}
}

// follow watches from a version; it returns the version from which to continue, or "" to list
// again.
func follow[T Object](ctx context.Context, c *Client, path, version string, tell func(Change[T])) (string, error) {
	joint := "?"
	if strings.Contains(path, "?") {
		joint = "&"
	}
	query := joint + "watch=1&allowWatchBookmarks=true&resourceVersion=" + version
	response, err := c.open(ctx, http.MethodGet, path+query, "", nil)
	if refused, ok := err.(*Refusal); ok && refused.Code == http.StatusGone {
		return "", nil
	}
	if err != nil {
		return version, err
	}
	defer response.Body.Close()
	reader := bufio.NewReaderSize(response.Body, 1<<20)
	for {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			return version, nil
		}
		var event struct {
			Type   string `json:"type"`
			Object T      `json:"object"`
		}
		if bytes.HasPrefix(line, []byte(`{"type":"ERROR"`)) { // its object is a Status
			return "", nil
		}
		if err := json.Unmarshal(line, &event); err != nil {
			return version, fmt.Errorf("%s: %w", path, err)
		}
		version = event.Object.Metadata().ResourceVersion
		if event.Type == "BOOKMARK" {
			continue
		}
		tell(Change[T]{Kind: event.Type, Object: event.Object, Seen: time.Now(), Version: version})
	}
}
