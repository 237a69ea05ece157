// Package e2e tests the Console example in a real browser. It drives Debian's
// Chromium over the DevTools protocol, and it downloads axe-core with npm. It is
// a part of the example's module, which the library does not require.
//
//	apt-get install --no-install-recommends chromium npm
//	go test -race -count=1 ./e2e
//
// The variable CLARIFY_SCREENSHOTS names a folder for pictures of every state: at
// 320, 768 and 1280 pixels, light and dark, in forced colours, and with text of
// twice the size. They look best if fonts-inter is installed. These commands make the two pictures in docs/images:
//
//	CLARIFY_SCREENSHOTS=/tmp/shots go test -count=1 -run Screenshots ./e2e
//	cp /tmp/shots/console-*.png ../../docs/images/
package e2e
