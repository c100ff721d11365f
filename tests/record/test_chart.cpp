#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <regex>

#include "scree/base/error.hpp"
#include "scree/record/chart.hpp"
#include "scree/record/markup.hpp"

namespace scree {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

// Positions of the marks, (cx, cy) in pixels.
std::vector<std::pair<double, double>> marks(const std::string& svg) {
  static const std::regex circle("<circle cx=\"([0-9.]+)\" cy=\"([0-9.]+)\"");
  std::vector<std::pair<double, double>> out;
  for (std::sregex_iterator it(svg.begin(), svg.end(), circle), end; it != end; ++it)
    out.emplace_back(std::stod((*it)[1]), std::stod((*it)[2]));
  return out;
}

Chart chart_of(const ChartSeries& series) {
  Chart chart{"t", {"x"}, {"y"}, {series}};
  return chart;
}

TEST(Chart, PlacesPointsInProportion) {
  const auto at = marks(chart_svg(chart_of({"", {0, 1, 3}, {0, 5, 10}})));
  ASSERT_EQ(at.size(), 3u);
  EXPECT_NEAR(at[2].first - at[0].first, 3 * (at[1].first - at[0].first), 0.3);
  EXPECT_NEAR(at[0].second - at[2].second, 2 * (at[0].second - at[1].second), 0.3);  // y points down
  EXPECT_GT(at[0].second, at[2].second);
}

TEST(Chart, LogarithmicAxesShowFactorsAsDistances) {
  Chart chart = chart_of({"", {1, 10, 100}, {2, 4, 8}});
  chart.x.logarithmic = chart.y.logarithmic = true;
  const auto at = marks(chart_svg(chart));
  ASSERT_EQ(at.size(), 3u);
  EXPECT_NEAR(at[1].first - at[0].first, at[2].first - at[1].first, 0.3);
  EXPECT_NEAR(at[0].second - at[1].second, at[1].second - at[2].second, 0.3);
}

TEST(Chart, LeavesOutWhatCannotBeShown) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(marks(chart_svg(chart_of({"", {0, 1, 2, 3}, {1, none, 2, 1 / 0.0}}))).size(), 2u);
  Chart chart = chart_of({"", {0, 1, 2}, {-1, 0, 2}});
  chart.y.logarithmic = true;
  EXPECT_EQ(marks(chart_svg(chart)).size(), 1u);
  EXPECT_NO_THROW(chart_svg(chart_of({"", {}, {}})));
  EXPECT_EQ(chart_svg(chart_of({"", {none}, {none}})).find("nan"), std::string::npos);
}

TEST(Chart, DrawsErrorBarsAndLegends) {
  const std::string bare = chart_svg(chart_of({"a", {0, 1}, {1, 2}}));
  const std::string barred = chart_svg(chart_of({"a", {0, 1}, {1, 2}, {0.1, 0.2}}));
  EXPECT_EQ(count(barred, "stroke-width=\"1.2\""), 6u);  // a stem and two caps each
  EXPECT_EQ(count(bare, "stroke-width=\"1.2\""), 0u);
  EXPECT_EQ(count(bare, ">a</text>"), 0u);  // one series needs no legend
  Chart two = chart_of({"first", {0, 1}, {1, 2}});
  two.series.push_back({"second", {0, 1}, {2, 1}});
  EXPECT_EQ(count(chart_svg(two), ">first</text>"), 1u);
  EXPECT_EQ(count(chart_svg(two), ">second</text>"), 1u);
}

TEST(Chart, NamesCategories) {
  Chart chart = chart_of({"", {0, 1}, {1, 2}});
  chart.x.categories = {"O", "#"};
  const std::string svg = chart_svg(chart);
  EXPECT_EQ(count(svg, ">O</text>"), 1u);
  EXPECT_EQ(count(svg, ">#</text>"), 1u);
}

TEST(Chart, EscapesText) {
  Chart chart = chart_of({"a<b", {0}, {1}});
  chart.title = "O < U & \"N\"";
  const std::string svg = chart_svg(chart);
  EXPECT_NE(svg.find("O &lt; U &amp; &quot;N&quot;"), std::string::npos);
  EXPECT_EQ(svg.find("O < U"), std::string::npos);
  EXPECT_EQ(escape_markup("<'>"), "&lt;&#39;&gt;");
}

TEST(Chart, RefusesListsOfUnlikeLength) {
  EXPECT_THROW(chart_svg(chart_of({"", {0, 1}, {1}})), Error);
  EXPECT_THROW(chart_svg(chart_of({"", {0, 1}, {1, 2}, {0.1}})), Error);
}

TEST(Chart, TicksAreRoundAndInside) {
  for (const auto& [lo, hi] : {std::pair{0.0, 1.0}, {-3.0, 7.5}, {12.1, 12.4}, {0.0, 48000.0}}) {
    const std::vector<double> t = axis_ticks(lo, hi, 5, false);
    EXPECT_GE(t.size(), 3u) << lo << " " << hi;
    EXPECT_LE(t.size(), 11u) << lo << " " << hi;
    EXPECT_GE(t.front(), lo - 1e-9 * hi);
    EXPECT_LE(t.back(), hi + 1e-9 * hi);
  }
  EXPECT_EQ(axis_ticks(0.9, 120, 5, true), (std::vector<double>{1, 2, 5, 10, 20, 50, 100}));
  EXPECT_EQ(axis_ticks(0.5, 2e4, 5, true).size(), 5u);  // powers of ten only
}

}  // namespace
}  // namespace scree
