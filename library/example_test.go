package library_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/ramo-dev/ramo/library"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

// makeShelf makes a home directory with one session in it.
func makeShelf(ctx context.Context) (dir string, err error) {
	if dir, err = os.MkdirTemp("", "ramo-example"); err != nil {
		return "", err
	}
	for name, value := range map[string]string{"HOME": dir, "USERPROFILE": dir, "XDG_DATA_HOME": filepath.Join(dir, "data")} {
		if err := os.Setenv(name, value); err != nil {
			return dir, err
		}
	}
	h := session.NewHeader("/srv/shop")
	h.Title = "Coupons"
	s, err := session.Create(session.NewPath(library.DirFor(h.Cwd), h), h)
	if err != nil {
		return dir, err
	}
	defer s.Close()
	if _, err = s.Append(ctx, session.Message{Message: message.User("The coupon is applied twice: mend it")}); err != nil {
		return dir, err
	}
	_, err = s.Append(ctx, session.LabelChange{TargetID: s.At(0).ID(), Label: "the report"})
	return dir, err
}

// Search is brought up to date first, which costs what is new.
func ExampleIndex_Search() {
	ctx := context.Background()
	dir, err := makeShelf(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	index, err := library.OpenIndex(filepath.Join(dir, "search"))
	if err != nil {
		log.Fatal(err)
	}
	defer index.Close()
	if err := index.Update(ctx, library.New(), nil); err != nil {
		log.Fatal(err)
	}
	hits, err := index.Search(ctx, `coupon* "mend it" cwd:/srv`, library.SearchOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range hits {
		fmt.Println(h.Item.Name, h.Role, h.Label)
		for _, m := range h.Matches {
			fmt.Println(h.Snippet[m[0]:m[1]])
		}
	}
	// Output:
	// Coupons user the report
	// coupon
	// mend it
}

// A list can be stopped at any time; what comes first is there within milliseconds.
func ExampleLibrary_List() {
	ctx := context.Background()
	dir, err := makeShelf(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	list := library.New().List(library.ListOptions{Dir: "/srv/shop", Only: true})
	for i := range list.Sessions(ctx) {
		fmt.Println(i.Title(), "—", i.Request)
	}
	if err := list.Err(); err != nil {
		log.Fatal(err)
	}
	// Output: Coupons — The coupon is applied twice: mend it
}

func ExampleParseTime() {
	now := time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC)
	for _, text := range []string{"yesterday", "2w", "2026-02"} {
		t, err := library.ParseTime(text, now)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(t.Format("2006-01-02 15:04"))
	}
	// Output:
	// 2026-03-08 00:00
	// 2026-02-23 12:00
	// 2026-02-01 00:00
}
