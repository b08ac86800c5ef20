/* See page.h. Colours are variables, so that a dark page differs from a light one in one place; paper is always light.
 * Words break only where nothing else fits: in cells that hold names and checksums. */
#include "report/page.h"

#include "report/svg_plot.h"

#include <string.h>

static const char colours[] =
    "@page{size:A4;margin:15mm}\n"
    ":root{color-scheme:light dark;--page:#fff;--text:#1a1a1a;--soft:#555;--line:#ddd;--edge:#bbb;--strong:#1f4e79;"
    "--good:#1b6e35;--bad:#a3210f;--warn:#8a5a00;--tint:#f4f6f9}\n"
    "@media screen and (prefers-color-scheme:dark){:root{--page:#15181c;--text:#e8e8e8;--soft:#b3b8bf;--line:#363c44;"
    "--edge:#59616b;--strong:#8fc1f0;--good:#7fd69a;--bad:#ff9c8a;--warn:#f0c46c;--tint:#1f242a}}\n"
    "@media print{:root{color-scheme:light}}\n";

static const char texts[] =
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;padding:24px 20px 48px;max-width:820px;background:var(--page);color:var(--text);"
    "font:15px/1.5 system-ui,-apple-system,\"Segoe UI\",Roboto,\"Liberation Sans\",Arial,sans-serif}\n"
    "h1{font-size:25px;line-height:1.25;margin:0 0 4px;overflow-wrap:anywhere}\n"
    "h2{font-size:19px;line-height:1.3;margin:36px 0 8px;padding-bottom:3px;border-bottom:2px solid var(--strong);"
    "break-after:avoid}\n"
    "h3{font-size:15px;margin:20px 0 6px;break-after:avoid}\n"
    "p{margin:8px 0;overflow-wrap:break-word}\n"
    "ul{margin:8px 0;padding-left:22px}\n"
    "li{margin:5px 0;overflow-wrap:break-word}\n"
    "dt{font-weight:600;margin-top:8px}\n"
    "dd{margin:0 0 0 18px}\n"
    "a{color:var(--strong)}\n"
    ".kind{margin:0 0 18px;color:var(--soft)}\n"
    ".small{font-size:12px;color:var(--soft);margin:4px 0}\n"
    ".tiles{display:flex;flex-wrap:wrap;gap:10px;margin:16px 0;padding:0;list-style:none}\n"
    ".tiles li{flex:1 1 120px;margin:0;padding:8px 12px;border:1px solid var(--edge);border-left:4px solid var(--strong);"
    "font-size:12px;color:var(--soft)}\n"
    ".tiles b{display:block;font-size:20px;line-height:1.3;color:var(--text)}\n"
    ".verdict{margin:14px 0;padding:0;list-style:none}\n"
    ".verdict li{display:flex;gap:10px;margin:0;padding:7px 10px;border:1px solid var(--edge);border-bottom-width:0}\n"
    ".verdict li:last-child{border-bottom-width:1px}\n"
    ".verdict .mark{flex:0 0 98px;font-weight:700;white-space:nowrap}\n"
    ".verdict .what{flex:1 1 auto;min-width:0}\n"
    "@media(max-width:480px){.verdict li{display:block}.verdict .mark{display:block}}\n"
    ".good{color:var(--good)}.bad{color:var(--bad)}.warn{color:var(--warn)}.unknown{color:var(--soft)}\n"
    ".caution{padding:8px 12px;border-left:4px solid var(--warn);background:var(--tint)}\n"
    ".sign td{height:44px;border-bottom:1px solid var(--edge)}\n";

static const char tables[] =
    ".scroll{overflow-x:auto}\n"
    "table{border-collapse:collapse;width:100%;margin:10px 0;font-size:13px;line-height:1.4}\n"
    "th,td{padding:4px 8px;border-bottom:1px solid var(--line);text-align:left;vertical-align:top;"
    "overflow-wrap:break-word}\n"
    "thead th{border-bottom:1.5px solid var(--soft);vertical-align:bottom}\n"
    "tbody th{font-weight:600}\n"
    "tr{break-inside:avoid}\n"
    ".n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\n"
    "thead .n{white-space:normal}\n"
    ".formula{color:var(--soft);font-size:12px;width:42%}\n"
    ".yes{font-weight:600;white-space:nowrap}\n"
    ".no{white-space:nowrap;color:var(--soft)}\n"
    ".facts th{width:190px}\n"
    ".facts td,.facts code{overflow-wrap:anywhere}\n"
    ".by-column th{width:44%}\n"
    ".by-column th .formula{display:block;font-weight:400;width:auto;margin-top:2px}\n"
    ".values{columns:2;column-gap:20px}\n"
    ".values div{display:flex;justify-content:space-between;gap:8px;break-inside:avoid}\n"
    ".values span{overflow-wrap:break-word;min-width:0}\n"
    "code,pre{font-family:ui-monospace,\"DejaVu Sans Mono\",Menlo,Consolas,monospace;font-size:11.5px;"
    "overflow-wrap:break-word}\n"
    "tbody th code{font-weight:400;color:var(--soft)}\n"
    "pre{white-space:pre-wrap;padding:8px 10px;margin:8px 0;border:1px solid var(--edge);line-height:1.5}\n"
    "figure{margin:14px 0;break-inside:avoid;overflow-x:auto}\n"
    "figcaption{margin:0 0 4px;font-size:13px;overflow-wrap:break-word}\n"
    "svg{display:block;width:100%;height:auto;font-size:11px}\n"
    "@media screen and (max-width:600px){svg[width=\"640\"]{min-width:560px}}\n" /* letters stay readable */
    ".dense{font-size:11px}.dense th,.dense td{padding:4px 3px}\n"
    "@media screen and (min-width:980px){.widest{width:min(1060px,100vw - 40px);"
    "margin-left:calc(50% - min(530px,50vw - 20px))}}\n"
    ".pair{display:grid;grid-template-columns:repeat(auto-fill,minmax(310px,1fr));gap:6px 28px;align-items:start}\n";

/* On a telephone: one column of values, and wide tables row by row. */
static const char narrow[] =
    "@media screen and (max-width:620px){body{padding:16px 14px 36px}"
    ".values{columns:1}.facts th{width:120px}.formula{width:auto}thead th,tbody th,td{padding:4px 6px}"
    ".stack thead{display:none}.stack tr{display:block;padding:6px 0;border-bottom:1px solid var(--line)}"
    ".stack th,.stack td{display:block;width:auto;border:0;padding:2px 0;text-align:left}"
    ".stack td:empty{display:none}"
    ".stack td[data-label]::before{content:attr(data-label) \": \";color:var(--soft)}}\n"
    "@media screen and (max-width:979px){.widest thead{display:none}.widest tr{display:block;padding:6px 0;"
    "border-bottom:1px solid var(--line)}"
    ".widest th,.widest td{display:block;width:auto;border:0;padding:2px 0;text-align:left}"
    ".widest td[data-label]::before{content:attr(data-label) \": \";color:var(--soft)}}\n";

static const char paper[] =
    "@media print{body{padding:0;max-width:none;font-size:10.5pt}h1{font-size:18pt}h2{margin-top:22px}table{font-size:9pt}"
    ".pair{grid-template-columns:1fr 1fr}.formula{font-size:8.5pt}}\n";

void kanon__html_text(kanon__output *o, const char *text)
{
    kanon__markup_text(o, text, strlen(text));
}

void kanon__page_begin(kanon__output *o, const char *title, const char *subject)
{
    kanon__markup(o,
                  "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>%s",
                  title);
    kanon__html_text(o, subject);
    kanon__output_text(o, "</title>\n<style>\n");
    kanon__output_text(o, colours);
    kanon__output_text(o, texts);
    kanon__output_text(o, tables);
    kanon__output_text(o, kanon__plot_style);
    kanon__output_text(o, kanon__plot_dark_style);
    kanon__output_text(o, narrow);
    kanon__output_text(o, paper);
    kanon__markup(o, "</style>\n</head>\n<body>\n<h1>%s", title);
    kanon__html_text(o, subject);
    kanon__output_text(o, "</h1>\n");
}

void kanon__page_end(kanon__output *o)
{
    kanon__output_text(o, "</body>\n</html>\n");
}

void kanon__html_begin(kanon__output *o, const char *id, const char *heading)
{
    kanon__markup(o, "<section id=\"%s\">\n<h2>%s</h2>\n", id, heading);
}

void kanon__html_end(kanon__output *o)
{
    kanon__output_text(o, "</section>\n");
}
