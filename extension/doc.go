// Package extension lets others take part in a session: in Go, and as programs in any language
// (section 14 of the specification).
//
// A Go extension is a function that says what it wants to hear of and what it adds:
//
//	func init() {
//		extension.Register(func(api *extension.API) {
//			api.Name = "guard"
//			api.OnSessionBeforeTree(func(ctx context.Context, s *extension.Session, e extension.SessionBeforeTree) (extension.TreeAnswer, error) {
//				…
//			})
//		})
//	}
//
// A program is a [Program]; docs/extensions.md lists what is spoken with it. A [Host] runs the
// extensions of one live session: handlers in the order of registration, the first cancel wins, and
// one that fails, panics or takes too long is reported and skipped. Nothing an extension does blocks
// or damages the session.
package extension
