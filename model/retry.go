package model

import (
	"context"
	"crypto/tls"
	"errors"
	"math/rand/v2"
	"net"
	"strings"
	"time"

	"charm.land/fantasy"
	"google.golang.org/genai"
)

const (
	maxRetries   = 4
	firstDelay   = time.Second
	longestDelay = 2 * time.Minute // a provider that asks for more is told of at once
)

// passing tells whether asking again may help.
func passing(err error) bool {
	words := strings.ToLower(err.Error())
	var cert *tls.CertificateVerificationError
	switch {
	case errors.Is(err, ErrStalled), errors.Is(err, errRedirected), errors.As(err, &cert), strings.Contains(words, "unsupported protocol scheme"):
		return false
	case saysOverflow(words), saysPaid(words):
		return false
	}
	var pe *fantasy.ProviderError
	if errors.As(err, &pe) {
		return pe.IsRetryable() && !pe.IsContextTooLarge()
	}
	var ne net.Error
	return errors.As(err, &ne)
}

// saysPaid knows the words in which a provider that answers with "too many requests" means that
// there is no money left.
func saysPaid(words string) bool {
	return strings.Contains(words, "insufficient_quota") || strings.Contains(words, "check your plan and billing")
}

// delay is how long to wait before the retry number n: as long as the provider says, else twice as
// long each time, give or take a little so that many clients do not come back at once. It is false
// if the provider asks for more than anyone would wait.
func delay(n int, a *attempt, err error) (time.Duration, bool) {
	wait := a.retryAfter()
	if wait < 0 {
		wait = retryInfo(err)
	}
	if wait >= 0 {
		return wait, wait <= longestDelay
	}
	d := firstDelay << (n - 1)
	return d + time.Duration(rand.Int64N(int64(d)/4+1)), true
}

// retryInfo is the delay in the body of an error of Google's, negative if there is none.
func retryInfo(err error) time.Duration {
	var api genai.APIError
	if errors.As(err, &api) {
		for _, detail := range api.Details {
			if s, ok := detail["retryDelay"].(string); ok {
				if d, err := time.ParseDuration(s); err == nil && d >= 0 {
					return d
				}
			}
		}
	}
	return -1
}

// sleep waits, or returns the context's error.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
