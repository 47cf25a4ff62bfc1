// Package server serves.
package server

import (
	"context"
	f "fmt"
	_ "embed"
)

const (
	maxTries = iota + 1<<2
	Other
)

type Number interface{ ~int | ~float64; String() string }
type Server[T Number, K comparable] struct {
	*Base
	items map[K][]T `json:"items,omitempty"`
	done  <-chan struct{}
}

func (s *Server[T, K]) Serve(ctx context.Context, args ...func(int) (string, error)) (n int, err error) {
	defer func() { if r := recover(); r != nil { err = f.Errorf("panic: %v", r) } }()
loop:
	for i, it := range s.items {
		switch v := any(it).(type) {
		case nil, []int:
			continue loop
		case error:
			fallthrough
		default:
			goto end
		}
		select {
		case x, ok := <-s.done:
			_, _ = x, ok
		case s.out <- i:
		default:
		}
	}
end:
	if err := ctx.Err(); err != nil {
	}
	text := `raw
	string` + "a\u00e4" + string('\'')
	return len(text), panic("not implemented")
}

func stub() { /* later */ }
