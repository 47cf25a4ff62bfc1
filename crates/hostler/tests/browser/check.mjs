// node check.mjs NODE_MODULES PAGE...: opens pages in the system's Chromium and fails with a list of what is wrong.
// Screenshots go beside each page.

import { readFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [modules, ...files] = process.argv.slice(2);
const require = createRequire(path.join(path.resolve(modules), "x.js"));
const { chromium } = require("playwright-core");
const axe = await readFile(require.resolve("axe-core/axe.min.js"), "utf8");

const BROWSERS = [
  process.env.HOSTLER_CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const VIEWS = [
  { name: "1280", width: 1280, media: { colorScheme: "light" }, axe: true },
  { name: "1280-dark", width: 1280, media: { colorScheme: "dark" }, axe: true },
  { name: "400", width: 400, media: { colorScheme: "light" }, axe: true },
  { name: "320", width: 320, media: { colorScheme: "dark" }, axe: true },
  { name: "1280-forced", width: 1280, media: { forcedColors: "active" } },
  { name: "1280-grey", width: 1280, media: { colorScheme: "light" }, vision: "achromatopsia" },
  { name: "print", width: 800, media: { media: "print" } },
];
const FONT_SIZE_MIN_PX = 12;

const problems = [];
let checks = 0;
function check(good, what) {
  checks += 1;
  if (!good) problems.push(what);
}

// What lies outside of the page, and text that is too small, as far as it is rendered.
function measure(sizeMin) {
  const root = document.documentElement;
  const outside = [];
  const small = [];
  const squeezed = [];
  for (const element of document.body.querySelectorAll("*")) {
    const box = element.getBoundingClientRect();
    const inScroll = element.closest(".scroll, .skip, .hidden, .defs");
    if (!inScroll && 0 < box.width && root.clientWidth + 1 < box.right && !element.closest("svg svg")) {
      outside.push(`${element.tagName} ${element.className} ends at ${Math.round(box.right)}`);
    }
    const own = [...element.childNodes].some((it) => it.nodeType === Node.TEXT_NODE && it.data.trim());
    if (own && !element.closest(".cards thead") && 0 < box.width && box.width < 32 && 96 < box.height) squeezed.push(`${element.tagName} ${element.className}`);
    const size = parseFloat(getComputedStyle(element).fontSize);
    if (own && 0 < box.width && size < sizeMin) small.push(`${element.tagName} ${element.className}: ${size} px`);
  }
  return { width: root.scrollWidth, room: root.clientWidth, outside: outside.slice(0, 5), small: small.slice(0, 5), squeezed: squeezed.slice(0, 5) };
}

async function keyboard(page, name) {
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press("Tab");
  const first = await page.evaluate(() => document.activeElement?.className);
  check(first === "skip", `${name}: the first key stop is the skip link, not \`${first}\``);
  await page.keyboard.press("Enter");
  const target = await page.evaluate(() => document.activeElement?.id);
  check(target === "main", `${name}: the skip link leads to the content, not to \`${target}\``);
  const session = page.locator("details.session > summary").first();
  if (await session.count()) {
    await session.focus();
    await page.keyboard.press("Enter");
    const open = await page.evaluate(() => document.querySelector("details.session").open);
    check(open, `${name}: a session opens with the keyboard`);
  }
}

async function patterns(page, name) {
  const swatches = page.locator(".legend li.supported svg, .legend li.unsupported svg, .legend li.contradicted svg");
  const pictures = [];
  for (let at = 0; at < Math.min(3, await swatches.count()); at += 1) {
    pictures.push((await swatches.nth(at).screenshot()).toString("base64"));
  }
  check(new Set(pictures).size === pictures.length, `${name}: the kinds of claims look different without colour`);
}

const executablePath = BROWSERS.find((it) => it && existsSync(it));
if (!executablePath) throw new Error("no Chromium found; name one with HOSTLER_CHROMIUM");
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
try {
  for (const file of files) {
    const large = 1_500_000 < (await readFile(file)).length;
    for (const view of large ? VIEWS.filter((it) => ["1280", "400"].includes(it.name)) : VIEWS) {
      const name = `${path.basename(file, ".html")} at ${view.name}`;
      const context = await browser.newContext({ viewport: { width: view.width, height: 900 }, offline: true });
      const page = await context.newPage();
      const address = pathToFileURL(path.resolve(file)).href;
      page.on("console", (message) => check(!["error", "warning"].includes(message.type()), `${name}: console: ${message.text()}`));
      page.on("pageerror", (error) => check(false, `${name}: ${error}`));
      page.on("dialog", (dialog) => { check(false, `${name}: a dialog: ${dialog.message()}`); dialog.dismiss(); });
      page.on("request", (request) => {
        const url = request.url();
        check(url === address || url.startsWith("data:"), `${name}: asks for ${url}`);
      });
      await page.emulateMedia(view.media);
      if (view.vision) {
        const session = await context.newCDPSession(page);
        await session.send("Emulation.setEmulatedVisionDeficiency", { type: view.vision });
      }
      await page.goto(address);
      const picture = file.replace(/\.html$/, `-${view.name}.png`);
      if (view.name === "1280" && !large) await keyboard(page, name);
      await page.evaluate(() => { document.activeElement?.blur(); scrollTo(0, 0); });
      await page.screenshot({ path: picture, fullPage: !large });
      await patterns(page, name);
      await page.evaluate(() => document.querySelectorAll("details").forEach((it) => { it.open = true; }));
      const found = await page.evaluate(measure, FONT_SIZE_MIN_PX);
      check(found.width <= found.room, `${name}: ${found.width} px wide in ${found.room}`);
      check(found.outside.length === 0, `${name}: outside of the page: ${found.outside.join("; ")}`);
      check(found.small.length === 0, `${name}: small text: ${found.small.join("; ")}`);
      check(found.squeezed.length === 0, `${name}: text in a column of letters: ${found.squeezed.join("; ")}`);
      check((await page.locator("h1").count()) === 1, `${name}: one main heading`);
      check((await page.locator("main").innerText()).length > 40, `${name}: there is something to read`);
      if (!large && ["1280", "400"].includes(view.name)) {
        await page.screenshot({ path: picture.replace(/\.png$/, "-open.png"), fullPage: true });
      }
      if (view.axe && !large) {
        await page.evaluate(axe);
        const { violations } = await page.evaluate((tags) => axe.run(document, { runOnly: tags }), TAGS);
        for (const it of violations) {
          check(false, `${name}: ${it.id}: ${it.help}: ${it.nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} (${node.failureSummary.replaceAll("\n", " ").slice(0, 200)})`).join("; ")}`);
        }
        check(violations.length === 0, `${name}: ${violations.length} kinds of barriers`);
      }
      await context.close();
    }
  }
} finally {
  await browser.close();
}
for (const problem of problems) console.log(problem);
console.log(problems.length ? `${problems.length} of ${checks} checks failed` : `${checks} checks passed`);
process.exitCode = problems.length ? 1 : 0;
