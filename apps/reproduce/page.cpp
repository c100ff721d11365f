#include "reproduce/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "scree/base/error.hpp"
#include "scree/record/markup.hpp"
#include "terminal.hpp"

namespace scree::cli {

namespace fs = std::filesystem;

namespace {

constexpr const char* style = R"(<style>
:root { color-scheme: light dark; --ink: #1d2330; --soft: #5a6478; --ground: #fbfaf7; --card: #ffffff; --line: #dcd9d0;
  --good: #23774a; --bad: #b3372f; --open: #8a6100; --none: #6a7080; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7e9ee; --soft: #a3abbb; --ground: #15181e; --card: #1d2129;
  --line: #343a46; --good: #6cc795; --bad: #f08d84; --open: #e0b354; --none: #98a0b0; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main, header { max-width: 1200px; margin: 0 auto; padding: 1.2rem; }
h1 { font-size: 2rem; margin: 1.2rem 0 .3rem; } h2 { font-size: 1.35rem; margin: 0 0 .3rem; }
p { margin: .4rem 0; } .soft { color: var(--soft); font-size: .9rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1.2rem; margin: 1.4rem 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .92rem; margin: .6rem 0; }
th, td { text-align: left; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; } td.number { font-variant-numeric: tabular-nums; }
.claim { border-left: 4px solid var(--none); padding: .2rem 0 .2rem .9rem; margin: .9rem 0; }
.claim q { font-style: italic; } .claim .ours { font-size: 1.05rem; }
.badge { font-weight: 700; white-space: nowrap; color: var(--none); }
.holds { border-color: var(--good); } .badge.holds { color: var(--good); }
.fails { border-color: var(--bad); } .badge.fails { color: var(--bad); }
.undecided { border-color: var(--open); } .badge.undecided { color: var(--open); }
.figures { display: flex; flex-wrap: wrap; gap: 1rem; align-items: flex-start; }
figure { margin: .5rem 0; max-width: 100%; flex: 1 1 260px; max-width: 560px; }
figure.plot { flex: 0 1 530px; } figure img { width: 100%; height: auto; border-radius: 6px; display: block; background: #fff; }
figcaption { color: var(--soft); font-size: .88rem; margin-top: .25rem; }
svg.chart { max-width: 100%; height: auto; }
pre { overflow-x: auto; background: var(--ground); border: 1px solid var(--line); border-radius: 6px; padding: .6rem;
  font-size: .82rem; } summary { cursor: pointer; color: var(--soft); } a { color: inherit; }
</style>
)";

const char* css_class(Verdict v) {
  switch (v) {
    case Verdict::holds:
      return "holds";
    case Verdict::fails:
      return "fails";
    case Verdict::undecided:
      return "undecided";
    case Verdict::not_run:
      return "none";
  }
  return "";
}

std::string badge(Verdict v) {
  return fmt::format("<span class=\"badge {}\">{}</span>", css_class(v), verdict_text(v));
}

Finding finding_of(const KeptResult* result, const Claim& claim) {
  if (result) {
    for (const Finding& f : result->outcome.findings)
      if (f.claim == claim.key) return f;
  }
  return {claim.key, Verdict::not_run, "", ""};
}

std::string claim_html(const Claim& claim, const Finding& f) {
  std::string out = fmt::format("<div class=\"claim {}\">\n<p><q>{}</q> <span class=\"soft\">{}</span></p>\n",
                                css_class(f.verdict), escape_markup(claim.text), escape_markup(claim.source));
  out += fmt::format("<p class=\"ours\">{}{}</p>\n", badge(f.verdict),
                     f.number.empty() ? "" : " &middot; " + escape_markup(f.number));
  if (!f.reason.empty()) out += fmt::format("<p>{}</p>\n", escape_markup(f.reason));
  return out + "</div>\n";
}

std::string table_html(const Table& t) {
  std::string out = "<div class=\"scroll\"><table>\n<thead><tr>";
  for (const std::string& cell : t.header) out += "<th>" + escape_markup(cell) + "</th>";
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : t.rows) {
    out += "<tr>";
    for (const std::string& cell : row) out += "<td class=\"number\">" + escape_markup(cell) + "</td>";
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n<p class=\"soft\">" + escape_markup(t.caption) + "</p>\n";
}

std::string figures_html(const Outcome& o, const fs::path& folder) {
  std::string plots, pictures;
  for (const Chart& c : o.charts) plots += "<figure class=\"plot\">\n" + chart_svg(c) + "</figure>\n";
  for (const Figure& f : o.figures)
    pictures +=
        fmt::format("<figure><img alt=\"{}\" src=\"data:image/png;base64,{}\"><figcaption>{}</figcaption></figure>\n",
                    escape_markup(f.caption), base64_file(folder / f.file), escape_markup(f.caption));
  std::string out;
  for (const std::string& group : {plots, pictures})
    if (!group.empty()) out += "<div class=\"figures\">\n" + group + "</div>\n";
  return out;
}

std::string how_html(const KeptResult& r) {
  std::string out = fmt::format(
      "<p class=\"soft\">{} of simulation on {} thread{}, {} version, {}. Made by <code>{}</code>, commit {}.</p>\n",
      duration(r.seconds), r.threads, r.threads == 1 ? "" : "s", r.quick ? "quick" : "full", escape_markup(r.finished),
      escape_markup(r.command), escape_markup(r.commit.substr(0, 12)));
  if (r.scenes.empty()) return out;
  out += fmt::format("<details><summary>{} runs</summary><pre>", r.scenes.size());
  for (const UsedScene& s : r.scenes) out += escape_markup(s.command) + "\n";
  return out + "</pre></details>\n";
}

std::string section_html(const Experiment& e, const KeptResult* r, const fs::path& folder) {
  std::string out = fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n<p class=\"soft\">{}</p>\n", e.name,
                                escape_markup(e.title), escape_markup(e.about));
  for (const Claim& c : e.claims) out += claim_html(c, finding_of(r, c));
  if (r) {
    out += figures_html(r->outcome, folder / e.name);
    for (const Table& t : r->outcome.tables) out += table_html(t);
    out += how_html(*r);
  } else {
    out += fmt::format("<p class=\"soft\">Run it with <code>scree reproduce {}</code>.</p>\n", e.name);
  }
  return out + "</section>\n";
}

std::string overview_html(const std::vector<Experiment>& experiments,
                          const std::map<std::string, const KeptResult*>& results) {
  std::string rows;
  std::map<Verdict, int> count;
  for (const Experiment& e : experiments) {
    const auto at = results.find(e.name);
    const KeptResult* r = at == results.end() ? nullptr : at->second;
    for (const Claim& c : e.claims) {
      const Finding f = finding_of(r, c);
      ++count[f.verdict];
      rows += fmt::format("<tr><td><a href=\"#{}\">{}</a></td><td>{}</td><td>{}</td><td>{}</td></tr>\n", e.name,
                          escape_markup(e.title), escape_markup(c.text), badge(f.verdict), escape_markup(f.number));
    }
  }
  return fmt::format(
      "<p>Claims that hold: {}; that do not: {}; undecided: {}; not run: {}.</p>\n<div "
      "class=\"scroll\"><table>\n<thead><tr><th>"
      "Experiment</th><th>Claim</th><th>Verdict</th><th>Measured</th></tr></thead>\n<tbody>\n{}</tbody></table></"
      "div>\n",
      count[Verdict::holds], count[Verdict::fails], count[Verdict::undecided], count[Verdict::not_run], rows);
}

}  // namespace

std::string base64_file(const fs::path& file) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Error(ErrorKind::system, file.string(), "cannot be read", "run the experiment again with --force");
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - k);
    unsigned word = 0;
    for (std::size_t b = 0; b < 3; ++b) word = word << 8 | (b < n ? static_cast<unsigned char>(bytes[k + b]) : 0u);
    for (std::size_t d = 0; d < 4; ++d) out += d <= n ? digits[word >> (18 - 6 * d) & 63] : '=';
  }
  return out;
}

std::string reproduce_page(const std::vector<Experiment>& experiments, const std::vector<KeptResult>& results,
                           const fs::path& folder) {
  std::map<std::string, const KeptResult*> by_name;
  for (const KeptResult& r : results) by_name[r.experiment] = &r;
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Scree: claims and "
      "numbers</title>\n" +
      std::string(style) + "</head>\n<body>\n<header>\n<h1>Claims and numbers</h1>\n";
  out +=
      "<p>What two papers on granular media and some textbook laws claim, and what Scree measures. Every number comes "
      "from runs of scene files; the commands stand with each experiment. Values after ± are the standard deviation "
      "from seed to seed, or the error of a fit where the text says so.</p>\n";
  out += overview_html(experiments, by_name) + "</header>\n<main>\n";
  for (const Experiment& e : experiments) {
    const auto at = by_name.find(e.name);
    out += section_html(e, at == by_name.end() ? nullptr : at->second, folder);
  }
  return out + "</main>\n</body>\n</html>\n";
}

}  // namespace scree::cli
