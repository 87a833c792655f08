package library

import (
	"regexp"
	"strings"
	"sync"
)

// masked stands where a secret was.
const masked = "•••"

// A secret is a shape that keys and passwords have. The expression is only tried on a text that has
// one of the marks in it, in lower case: most texts have none, and looking for them is much cheaper.
// The group named "keep", if there is one, stays in front of the mask.
type secret struct {
	marks []string
	re    func() *regexp.Regexp // compiled when it is first needed: most commands mask nothing
	keeps bool
}

func newSecret(re string, marks ...string) secret {
	compiled := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(re) })
	return secret{marks, compiled, strings.Contains(re, "?P<keep>")}
}

// secrets are tried in this order.
var secrets = []secret{
	newSecret(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)`, "private key"),
	newSecret(`AGE-SECRET-KEY-1[0-9A-Z]{20,}`, "age-secret-key-1"),
	// The providers of models: OpenAI, Anthropic, OpenRouter, DeepSeek (sk-), Google, Groq, xAI,
	// Perplexity, Replicate, Hugging Face, Fireworks, NVIDIA, Cerebras, Tavily, LangSmith.
	newSecret(`\bsk-[A-Za-z0-9_-]{16,}`, "sk-"),
	newSecret(`\bAIza[0-9A-Za-z_-]{30,}`, "aiza"),
	newSecret(`\bya29\.[0-9A-Za-z_-]{20,}`, "ya29."),
	newSecret(`\b(?:gsk_|xai-|pplx-|r8_|hf_|fw_|nvapi-|csk-|tvly-|lsv2_(?:pt|sk)_)[A-Za-z0-9_-]{16,}`, "gsk_", "xai-", "pplx-", "r8_", "hf_", "fw_", "nvapi-", "csk-", "tvly-", "lsv2_"),
	// Clouds, forges, registries, chats, payments.
	newSecret(`\b(?:AKIA|ASIA|AROA|AIDA|ABIA|ACCA)[0-9A-Z]{16}\b`, "akia", "asia", "aroa", "aida", "abia", "acca"),
	newSecret(`\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})`, "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
	newSecret(`\b(?:glpat|gldt|glrt|glptt)-[A-Za-z0-9_.-]{16,}`, "glpat-", "gldt-", "glrt-", "glptt-"),
	newSecret(`\b(?:npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{30,}|dckr_pat_[A-Za-z0-9_-]{20,}|dop_v1_[a-f0-9]{32,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,})`, "npm_", "pypi-", "dckr_pat_", "dop_v1_", "sg."),
	newSecret(`\b(?:xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,})`, "xox", "xapp-"),
	newSecret(`https://hooks\.slack\.com/services/[A-Za-z0-9/_-]+`, "hooks.slack.com"),
	newSecret(`\b(?:(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{16,})`, "_live_", "_test_", "whsec_"),
	newSecret(`\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?`, "eyj"), // JSON web tokens
	newSecret(`(?i)(?P<keep>\b(?:bearer|basic|token)\s+)[A-Za-z0-9._~+/=-]{16,}`, "bearer", "basic", "token"),
	newSecret(`(?i)(?P<keep>\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@"']{0,64}:)[^\s/@"']{1,256}@`, "://"),
	// NAME=value, "name": "value", --name value, name: value.
	newSecret(`(?i)(?P<keep>(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key(?:[_-]?id)?|secret[_-]?key|private[_-]?key|auth[_-]?key|client[_-]?secret|credentials?|account[_-]?key)["']?\s*(?:=>|:=|=|:)\s*)(?:"(?:[^"\\\n]|\\.){4,}"|'(?:[^'\\\n]|\\.){4,}'|[^\s"',;(){}\[\]<>]{6,})`,
		"passw", "passphrase", "pwd", "secret", "token", "key", "credential"),
	newSecret(`(?i)(?P<keep>--(?:password|passwd|token|api-key|secret)\s+)[^\s"'-][^\s"']{5,}`, "--passw", "--token", "--api-key", "--secret"),
	newSecret(`(?P<keep>\b[A-Z][A-Z0-9_]*_(?:KEY|PASS|PAT)["']?\s*[=:]\s*["']?)[^\s"']{6,}`, "_key", "_pass", "_pat"),
	newSecret(`(?P<keep>(?:\s-u|--user)[\s=]+["']?[^\s:"'/]{1,64}:)[^\s"'/]{4,}`, "-u", "--user"),
	newSecret(`(?i)(?P<keep>\b(?:set-)?cookie["']?\s*[:=]\s*["']?)[^\n"']{8,}`, "cookie"),
}

// Mask puts a mark in the place of what is likely to be a key, a token or a password. It errs on the
// side of masking: the index can do without a word more.
func Mask(text string) string {
	lower := ""
	for _, s := range secrets {
		if lower == "" {
			lower = asciiLower(text)
		}
		if !containsAny(lower, s.marks) {
			continue
		}
		with := masked
		if s.keeps {
			with = "${keep}" + masked
		}
		if out := s.re().ReplaceAllString(text, with); out != text {
			text, lower = out, ""
		}
	}
	return text
}

func containsAny(text string, marks []string) bool {
	for _, m := range marks {
		if strings.Contains(text, m) {
			return true
		}
	}
	return false
}

// asciiLower keeps the text's length, unlike strings.ToLower, and takes no copy of what is lower case
// already.
func asciiLower(text string) string {
	for i := range len(text) {
		if 'A' <= text[i] && text[i] <= 'Z' {
			b := []byte(text)
			for ; i < len(b); i++ {
				if 'A' <= b[i] && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return text
}
