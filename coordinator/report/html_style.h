// The style sheet of the HTML report, for html.cpp alone. Colours are those of Okabe and Ito
// (Color Universal Design), one pair for light and one for dark pages.
#pragma once

#include <string_view>

namespace fleetmark::coordinator::report {

inline constexpr std::string_view kStyle = R"css(
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#57606a;--paper:#fff;--rule:#d0d7de;
--shade:#f4f6f8;--ok:#0072b2;--bad:#d55e00;--median:#1b1f24}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ec;--soft:#a0a9b2;--paper:#14171a;--rule:#3a4149;
--shade:#1d2226;--ok:#56b4e9;--bad:#e69f00;--median:#fff}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1rem;max-width:72rem;background:var(--paper);color:var(--ink);
font:16px/1.5 system-ui,sans-serif;overflow-wrap:break-word}
h1{font-size:1.75rem;line-height:1.2}
h2{margin-top:2.5rem;border-top:1px solid var(--rule);padding-top:1rem;font-size:1.35rem}
h3{margin-top:2rem;font-size:1.1rem}
.answer{font-size:1.15rem}
.scroll{overflow-x:auto;margin:1rem 0}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.35rem .75rem;border-bottom:1px solid var(--rule);text-align:left;vertical-align:top}
th{font-weight:600}
tbody th{font-weight:400;position:sticky;left:0;background:var(--paper);min-width:7rem}
.right{text-align:right;white-space:nowrap}
thead .right{white-space:normal}
code,pre{font:.95em/1.45 ui-monospace,monospace}
pre{background:var(--shade);padding:.75rem 1rem;overflow-x:auto}
figure{margin:1rem 0}
figcaption,.n{color:var(--soft)}
.row{display:grid;grid-template-columns:13rem 1fr;align-items:center;gap:0 1rem}
.label span{display:block}
.n{font-size:.9rem}
@media(max-width:40rem){.row{grid-template-columns:1fr;margin-top:.6rem}}
svg{display:block;width:100%;overflow:visible;font-variant-numeric:tabular-nums}
svg text{fill:var(--ink);font:14px system-ui,sans-serif}
.grid{stroke:var(--rule)}
.axis{stroke:var(--soft)}
.ok{fill:var(--ok);fill-opacity:.65}
.bad{fill:none;stroke:var(--bad);stroke-width:1.5;pointer-events:all}
.median{stroke:var(--median);stroke-width:3}
.whisker{stroke:var(--median);stroke-width:1.5}
summary{cursor:pointer}
@media print{body{max-width:none;font-size:11pt}.scroll{overflow:visible}figure{break-inside:avoid}}
)css";

}  // namespace fleetmark::coordinator::report
