package extension_test

func misbehave() bool { return false }
