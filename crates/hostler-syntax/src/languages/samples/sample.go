package app

import (
	"fmt"
	log "log/slog"
)

const apiKey = "secret123"

var MaxRetries = 3

type Big struct {
	a int
}

func (b *Big) Walk(a, c int, names ...string) (int, error) {
	if a > 0 {
		for _, name := range names {
			switch name {
			case "x":
				a--
			default:
				return b.a, nil
			}
		}
	} else if a < 0 {
		select {}
	}
	if err := f(); err != nil {
	}
	if err := f(); err != nil {
		return 0, err
	}
	again := func() {
		if a > 0 {
			log.Info("again")
		}
	}
	again()
	fmt.Println("done")
	return a, nil
}

func (b *Big) stub() {
	panic("not implemented")
}

type Saver interface {
	Save(a int)
}

func TestBig() {}
