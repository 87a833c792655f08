package extension_test

import (
	"context"
	"fmt"

	"github.com/ramo-dev/ramo/agent"
	"github.com/ramo-dev/ramo/extension"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

func Example() {
	guard := extension.New("guard", func(api *extension.API) {
		api.OnSessionBeforeTree(func(_ context.Context, s *extension.Session, e extension.SessionBeforeTree) (extension.TreeAnswer, error) {
			if s.Read().Label(e.TargetID) == "" {
				return extension.TreeAnswer{Decision: extension.Decision{Cancel: true, Reason: "label it first"}}, nil
			}
			return extension.TreeAnswer{}, nil
		})
	})
	s := session.NewMemory(session.NewHeader("/srv/demo"))
	ctx := context.Background()
	one, err := s.Append(ctx, session.Message{Message: message.User("one")})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := s.Append(ctx, session.Message{Message: message.User("two")}); err != nil {
		fmt.Println(err)
		return
	}
	a, err := agent.New(s, agent.Options{Extensions: []extension.Extension{guard}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()
	n, err := a.NavigateTree(ctx, one.ID(), agent.NavigateOptions{})
	fmt.Println(n.Cancelled, n.Reason, err)
	// Output: true label it first <nil>
}
