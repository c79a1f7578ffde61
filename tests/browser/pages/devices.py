"""A device with notifications for Chromium, whose headless shell reaches no push service and shows no notification.

A service worker that sets the badge of an application ends the shell, so that is replaced as well. What presses a
notification is an event that the test sends in the service worker.
"""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import BrowserContext, Page, Worker

from tests.features.push.device import Phone
from tests.harness.waiting import wait_until

_PAGE = """
const given = %(given)s;
const permission = () => localStorage.getItem("test.permission") ?? "%(permission)s";
const subscription = (key) => ({
  endpoint: given.endpoint,
  options: { applicationServerKey: Uint8Array.from(JSON.parse(key)).buffer },
  toJSON: () => given,
  unsubscribe: async () => { localStorage.removeItem("test.key"); return true; },
});
Object.defineProperty(Notification, "permission", { get: permission });
Notification.requestPermission = async () => {
  localStorage.setItem("test.permission", "%(answer)s");
  return "%(answer)s";
};
PushManager.prototype.getSubscription = async () => {
  const key = localStorage.getItem("test.key");
  return key && subscription(key);
};
PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
  if (!userVisibleOnly) throw new Error("a browser refuses silent notifications");
  localStorage.setItem("test.key", JSON.stringify([...applicationServerKey]));
  return subscription(localStorage.getItem("test.key"));
};
"""

_WORKER = """() => {
  self.shown = [];
  self.windows = [];
  self.subscribed = true;
  self.posted = [];
  self.badges = 0;
  Object.defineProperty(self.navigator, "setAppBadge", { value: async () => { self.badges += 1; } });
  const real = self.fetch;
  self.fetch = (url, options) => { self.posted.push([url, JSON.parse(options.body)]); return real(url, options); };
  self.registration.showNotification = async (title, options) => { self.shown.push({ title, ...options }); };
  self.registration.getNotifications = async ({ tag }) => self.shown.filter((one) => one.tag === tag);
  self.clients.openWindow = async (url) => { self.windows.push(url); };
  self.registration.pushManager.getSubscription = async () => ({
    endpoint: "%s", unsubscribe: async () => { self.subscribed = false; },
  });
}"""

_CLICK = """async ([action, nth]) => {
  const { data } = self.shown[nth];
  const waits = [];
  const event = new Event("notificationclick");
  Object.assign(event, { action, notification: { close() {}, data }, waitUntil: (one) => waits.push(one) });
  self.dispatchEvent(event);
  await Promise.all(waits);
}"""


def equip_with_push(
    context: BrowserContext, phone: Phone, *, permission: str = "default", answer: str = "granted"
) -> None:
    """Lets the pages of the context subscribe this device. `answer` is the reader's to the browser's question."""
    given = json.dumps(phone.json)
    context.add_init_script(_PAGE % {"given": given, "permission": permission, "answer": answer})


def equip_worker(worker: Worker, phone: Phone) -> None:
    """Lets the service worker show notifications to the test: `self.shown` holds them, `self.windows` what it opens,
    `self.posted` what it tells the site."""
    worker.evaluate(_WORKER % phone.endpoint)


def deliver_push_message(page: Page, base: str, said: dict[str, Any]) -> None:
    """Delivers a message to the service worker, as the browser does when its push service has one."""
    session = page.context.new_cdp_session(page)
    registrations: list[str] = []
    session.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda event: registrations.extend(one["registrationId"] for one in event["registrations"]),
    )
    session.send("ServiceWorker.enable")
    wait_until(lambda: page.evaluate("true") and registrations, "the browser has named its service worker")
    message = {"origin": base, "registrationId": registrations[-1], "data": json.dumps(said)}
    session.send("ServiceWorker.deliverPushMessage", message)


def press_notification(worker: Worker, nth: int, action: str = "") -> None:
    """Presses the nth notification, or its button."""
    worker.evaluate(_CLICK, [action, nth])
