// The service worker of a device that asked for notifications: shows them, opens their match, ends them. It answers no
// request of a page and keeps nothing.
self.addEventListener("push", (event) => event.waitUntil(show(event.data.json())));

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(event.action === "stop" ? stop() : open(event.notification.data));
});

// All notifications of a seat have one tag. The newest takes the place of the one before, and sounds anew unless it is
// the same once more.
async function show({ mail, tag, lang, title, body, url, stop }) {
  const shown = await self.registration.getNotifications({ tag });
  const repeated = shown.some(({ data }) => data?.mail === mail);
  const icon = "/static/any/icons/icon-192.png";
  const actions = [{ action: "stop", title: stop }];
  await self.registration.showNotification(title, { body, tag, lang, icon, badge: icon, renotify: !repeated, actions, data: { mail, url } });
  await self.navigator.setAppBadge?.().catch(() => {}); // some browsers have it and refuse it
}

// Says that it was opened, so that no email follows, and shows the match: in its window, if there is one.
async function open({ mail, url }) {
  const said = post(`${url}/push/opened`, { mail });
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const there = windows.find((window) => new URL(window.url).pathname === url);
  await (there ? there.focus() : self.clients.openWindow(url)).catch(() => {});
  await said;
}

async function stop() {
  const subscription = await self.registration.pushManager.getSubscription();
  if (!subscription) return;
  await post("/push/stop", { endpoint: subscription.endpoint });
  await subscription.unsubscribe();
}

// Without a connection it is not said: then the email follows, or the push service says that the device is gone.
function post(url, said) {
  const headers = { "Content-Type": "application/json" };
  return fetch(url, { method: "POST", headers, body: JSON.stringify(said), credentials: "same-origin" }).catch(() => {});
}
