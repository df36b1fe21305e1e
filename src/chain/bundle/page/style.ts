/** The look of every page that shows tokens: light, dark and on paper, from 320 pixels on. It names only fonts that systems have. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --ground: light-dark(#fbfaf8, #161514); --stage: light-dark(#f1eee9, #0f0e0d); --sheet: light-dark(#fff, #201f1d);
  --line: light-dark(#e4dfd8, #34312e); --ink: light-dark(#211e1b, #f0ece7); --quiet: light-dark(#6a645d, #aaa39b); --metal: light-dark(#9c5220, #e3a368);
  --good: light-dark(#1c6638, #85d5a1); --bad: light-dark(#a32b22, #ff9c92); --net: light-dark(#0f6b66, #64cfc7); }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; }
body { --width: 1160px; margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif; font-variant-numeric: tabular-nums; }
h1, h2, p, ul, ol, dl, dd, fieldset { margin: 0; padding: 0; border: 0; }
ul, ol { list-style: none; }
h1 { font-size: clamp(28px, 4vw, 44px); line-height: 1.12; font-weight: 650; letter-spacing: -.02em; overflow-wrap: anywhere; text-wrap: balance; }
h1:focus { outline: none; }
h2 { font-size: 13px; font-weight: 600; color: var(--quiet); margin-bottom: 12px; }
details h2 { font-size: 14px; color: inherit; margin: 20px 0 0; }
a { color: var(--metal); }
:focus-visible { outline: 2px solid var(--metal); outline-offset: 2px; border-radius: 4px; }
code { font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace; }
[dir=auto] { unicode-bidi: isolate; }
.quiet { color: var(--quiet); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.icon { width: 24px; height: 24px; fill: none; stroke: currentColor; stroke-width: 1.5; stroke-linecap: round; stroke-linejoin: round; }
#top { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 20px; min-height: 52px; padding: 8px max(24px, calc((100% - var(--width)) / 2 + 24px)); }
#bar { display: flex; gap: 20px; flex: 1; }
#bar .back { margin-right: auto; }
#bar a { text-decoration: none; padding: 4px 0; white-space: nowrap; }
.network { font-size: 13px; color: var(--net); margin-left: auto; }
.network.main { color: var(--metal); }
.network.test { color: light-dark(#6a3fb0, #bfa1f0); }
#verdict { max-width: 1160px; margin: 24px auto; padding: 0 24px; }
#verdict.bad { color: var(--bad); font-weight: 600; font-size: 18px; }
.stage { display: grid; place-items: center; min-height: 240px; height: min(68vh, 900px); padding: 24px; background: var(--stage); overflow: hidden; }
.stage > img, .stage > video, .stage > .still, .turned { width: 100%; height: 100%; min-height: 0; object-fit: contain; }
.turned { display: grid; grid-template-rows: minmax(0, 1fr) auto; justify-items: center; gap: 8px; font-size: 14px; text-align: center; }
.stage > video { width: auto; max-width: 100%; }
.turned canvas { width: 100%; height: 100%; object-fit: contain; cursor: grab; touch-action: pan-y; }
.turned canvas:active { cursor: grabbing; }
.stage.html { padding: 0; }
.stage iframe { width: 100%; height: 100%; border: 0; background: #fff; color-scheme: light; }
.stage pre { width: min(100%, 76ch); max-height: 100%; margin: 0; padding: 24px; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--sheet); font: 15px/1.6 ui-monospace, Menlo, Consolas, 'Liberation Mono', monospace; }
.stage pre.brief { width: fit-content; padding: 40px 48px; font-size: 20px; }
.stage.audio, .stage.file { height: auto; min-height: min(40vh, 320px); }
.sound { display: grid; justify-items: center; gap: 24px; width: min(100%, 560px); }
.sound audio { width: 100%; }
.sound .icon, .placeholder .icon { width: 64px; height: 64px; stroke-width: 1; color: var(--quiet); }
.placeholder { display: grid; justify-items: center; gap: 12px; max-width: 48ch; text-align: center; color: var(--quiet); overflow-wrap: anywhere; }
.pixels { image-rendering: pixelated; }
.note { padding: 8px 24px 0; text-align: center; font-size: 14px; }
.one, .two, .verified, main > details, article > details, .keep, .banner, .gallery, #footer { max-width: var(--width); margin-inline: auto; padding-inline: 24px; }
.one, .two { padding-top: 32px; }
.two { display: grid; grid-template-columns: minmax(0, 5fr) minmax(0, 6fr); gap: 32px 56px; }
.line { display: flex; flex-wrap: wrap; gap: 2px 18px; margin-top: 10px; font-size: 17px; color: var(--quiet); }
.line .of { font-weight: 600; }
span.of { color: var(--ink); }
.label > p { overflow-wrap: anywhere; }
.words { margin-top: 16px; max-width: 62ch; white-space: pre-line; overflow-wrap: anywhere; }
.label > .quiet { margin-top: 8px; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: 6px 20px; margin-top: 20px; overflow-wrap: anywhere; font-size: 15px; }
.facts dt { color: var(--quiet); }
.plates { display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: 8px; }
.plate { display: grid; gap: 1px; align-content: start; padding: 10px 12px; border: 1px solid var(--line); border-radius: 8px; background: var(--sheet); overflow-wrap: anywhere; }
.plate b { font-weight: 600; line-height: 1.35; }
.plate .quiet { font-size: 13px; }
.verified { margin-top: 40px; }
.verdict { display: flex; gap: 12px; align-items: flex-start; max-width: 80ch; }
.verdict .icon { flex: none; width: 26px; height: 26px; margin-top: -1px; padding: 4px; border-radius: 50%; stroke-width: 3; background: var(--good); color: var(--ground); }
.verified > .quiet { margin: 6px 0 0 38px; }
.steps { display: grid; grid-template-columns: repeat(5, minmax(0, 1fr)); margin-top: 28px; }
.steps li { position: relative; display: grid; align-content: start; justify-items: start; gap: 2px; padding-right: 16px; font-size: 14px; }
.steps li + li::before { content: ''; position: absolute; top: 31px; left: calc(76px - 100%); width: calc(100% - 88px); border-top: 1.5px solid var(--metal); }
.steps code { color: var(--quiet); font-size: 12px; overflow-wrap: anywhere; }
.mark { display: grid; place-items: center; width: 64px; height: 64px; margin-bottom: 8px; border: 1px solid var(--line); border-radius: 12px; background: var(--sheet); color: var(--metal); overflow: hidden; }
.mark img, .mark canvas { width: 100%; height: 100%; object-fit: cover; }
.mark .icon { width: 30px; height: 30px; }
.tree { width: 48px; fill: currentColor; stroke: currentColor; stroke-width: 2; stroke-linecap: round; }
.tree path { fill: none; }
.tree .faint { stroke: light-dark(#d5cec5, #4a4540); stroke-width: 1.5; }
details { border-top: 1px solid var(--line); }
main > details, article > details { margin-top: 28px; border: 0; }
article > details + details { margin-top: 0; }
summary { padding: 10px 0; cursor: pointer; color: var(--metal); width: fit-content; }
details > p { max-width: 76ch; padding-bottom: 12px; }
.proof { display: grid; grid-template-columns: minmax(90px, max-content) 1fr; gap: 4px 20px; margin: 4px 0 12px; font-size: 14px; overflow-wrap: anywhere; }
.proof dt { color: var(--quiet); max-width: 28ch; }
.keep { padding-top: 20px; }
.button, button { display: inline-block; padding: 8px 16px; border: 1px solid var(--line); border-radius: 8px; background: var(--sheet); color: inherit; font: inherit; text-decoration: none; cursor: pointer; }
button.plain { border-color: transparent; background: none; color: var(--metal); padding-inline: 4px; }
.banner { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 20px 36px; align-items: center; padding-block: 24px 8px; }
.cover { width: clamp(160px, 24vw, 280px); aspect-ratio: 1; border-radius: 12px; overflow: hidden; background: var(--stage); }
.cover img { width: 100%; height: 100%; object-fit: cover; }
.banner.wide { grid-template-columns: minmax(0, 1fr); max-width: none; padding: 0; }
.banner.wide .cover { width: 100%; height: min(30vh, 340px); aspect-ratio: auto; border-radius: 0; }
.banner.wide .label { width: 100%; padding-top: 8px; max-width: var(--width); margin-inline: auto; padding-inline: 24px; }
@media (min-width: 800px) {
  .banner.wide .label { display: grid; grid-template-columns: minmax(0, 5fr) minmax(0, 6fr); grid-template-rows: auto 1fr; column-gap: 56px; }
  .banner.wide h1, .banner.wide .line { grid-column: 1; }
  .banner.wide .words, .banner.wide .facts { grid-column: 2; margin-top: 6px; }
  .banner.wide .words { grid-row: 1 / 3; }
  .banner.wide .words + .facts { margin-top: 16px; }
}
.gallery { margin-top: 32px; }
body:has(.gallery) { --width: 1560px; }
.filtered { display: grid; grid-template-columns: 220px minmax(0, 1fr); gap: 24px 40px; align-items: start; }
.filters { border: 0; font-size: 15px; position: sticky; top: 12px; max-height: calc(100vh - 24px); overflow: auto; }
.filters > summary { font-weight: 600; color: var(--ink); }
.filters fieldset { display: grid; gap: 2px; padding-bottom: 12px; max-height: 320px; overflow: auto; }
.filters legend { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.filters details summary { color: var(--ink); width: auto; overflow-wrap: anywhere; }
.filters label { display: flex; gap: 8px; align-items: baseline; padding: 3px 2px; overflow-wrap: anywhere; cursor: pointer; }
.filters label span:last-child { flex: none; margin-left: auto; padding-left: 8px; }
input[type=checkbox] { accent-color: var(--metal); width: 16px; height: 16px; margin: 0; flex: none; translate: 0 2px; }
.tools { display: flex; flex-wrap: wrap; gap: 8px; }
.tools input, .tools select { min-height: 42px; padding: 8px 12px; border: 1px solid var(--line); border-radius: 8px; background: var(--sheet); color: inherit; font: inherit; }
.tools input { flex: 1 1 220px; min-width: 0; }
.grid > .quiet { min-height: 12px; padding: 8px 0; font-size: 14px; }
.grid > button { margin-top: 24px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(200px, 42%), 1fr)); gap: 20px; }
.tile { position: relative; min-width: 0; border-radius: 10px; }
.tile .art { display: grid; place-items: center; aspect-ratio: 1; overflow: hidden; border-radius: 10px; background: var(--stage); color: var(--quiet); }
.tile .art > img, .tile .art > canvas, .tile .art > video, .tile .art > iframe { width: 100%; height: 100%; min-height: 0; border: 0; object-fit: contain; }
.tile .art > iframe { background: #fff; pointer-events: none; }
.tile .art > pre { width: 100%; height: 100%; margin: 0; padding: 12px; overflow: hidden; white-space: pre-wrap; overflow-wrap: anywhere; font: 12px/1.5 ui-monospace, Menlo, Consolas, 'Liberation Mono', monospace; }
.tile .art > .icon { width: 56px; height: 56px; stroke-width: 1; }
.tile .placeholder { padding: 12px; font-size: 12px; }
.tile .name { display: flex; gap: 8px; justify-content: space-between; padding: 8px 2px 0; font-size: 15px; }
.tile a { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; color: inherit; font-weight: 600; text-decoration: none; overflow: hidden; overflow-wrap: anywhere; }
.tile a::after { content: ''; position: absolute; inset: 0; border-radius: 10px; }
.tile:hover a { color: var(--metal); }
.tile a:focus-visible { outline: none; }
.tile:has(a:focus-visible) { outline: 2px solid var(--metal); outline-offset: 4px; }
#footer { margin-top: 48px; padding-block: 20px 40px; font-size: 13px; color: var(--quiet); }
@media screen and (max-width: 799px) {
  .stage { height: min(68vh, 110vw); padding: 12px; }
  .stage.html { height: 70vh; }
  .two, .filtered, .banner { grid-template-columns: minmax(0, 1fr); }
  .one, .two { padding-top: 24px; }
  .filters { position: static; max-height: none; }
  .stage > video { width: 100%; height: auto; max-height: 100%; }
  .stage pre.brief { padding: 24px; font-size: 17px; }
  .tools select { flex: 1; }
  .steps { grid-template-columns: minmax(0, 1fr); margin-left: 0; }
  .steps li { grid-template-columns: 64px minmax(0, 1fr); column-gap: 16px; padding: 0 0 20px; }
  .steps .mark { grid-row: 1 / 5; margin: 0; }
  .steps li + li::before { top: -20px; left: 32px; width: 0; height: 20px; border-top: 0; border-left: 1.5px solid var(--metal); }
  .proof { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .proof dd { margin-bottom: 8px; }
}
@page { margin: 15mm; }
@media print {
  :root { color-scheme: light; }
  body { font-size: 11pt; }
  #bar, .keep, .verified a, .tools, .turned p, .filters, button, #footer, audio { display: none !important; }
  #top { min-height: 0; padding: 0; }
  .stage { height: 10.5cm; background: none; padding: 0; }
  .one, .two, .verified, main > details, article > details, .banner, .banner.wide .label, .gallery { padding-inline: 0; max-width: none; }
  .filtered { grid-template-columns: minmax(0, 1fr); }
  .tiles { grid-template-columns: repeat(4, minmax(0, 1fr)); gap: 14px; }
  .tile .name { font-size: 9pt; }
  .two { gap: 24px; padding-top: 20px; }
  .steps li { font-size: 9pt; padding-right: 8px; }
  .plate .quiet, .facts, .proof, code { font-size: 9pt; }
  .verified, .plate, .tile, .steps { break-inside: avoid; }
  .verified { margin-top: 20px; }
  summary { list-style: none; color: inherit; font-weight: 600; }
  .verdict .icon { background: none; color: var(--good); padding: 0; }
}
`;
