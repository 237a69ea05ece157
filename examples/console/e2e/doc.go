// Package e2e tests the Console example in a real browser: Debian's Chromium,
// driven over the DevTools protocol, and axe-core, which npm brings. It is a
// module of its own, so that the library requires none of what it needs.
//
//	apt-get install --no-install-recommends chromium npm
//	go test -race -count=1 .
//
// With CLARIFY_SCREENSHOTS, pictures of every state at 320, 768 and 1280 pixels,
// light and dark, are kept in the folder that it names; they look best where
// fonts-inter is installed. The two in docs/images are made so:
//
//	CLARIFY_SCREENSHOTS=/tmp/shots go test -count=1 -run Screenshots .
//	cp /tmp/shots/console-*.png ../../../docs/images/
package e2e
