// `scree reproduce` and `scree compare` as a user meets them.
#include <csignal>

#include "cli.hpp"

namespace scree::test {

namespace {

using Reproduce = Cli;
using Compare = Cli;

const std::string scenes = std::string(SCREE_SOURCE_DIR) + "/scenes";

std::vector<std::string> reproduce(std::vector<std::string> names, const std::string& folder = "page") {
  names.insert(names.begin(), "reproduce");
  for (const std::string& word : {std::string("--quick"), std::string("--scenes"), scenes, std::string("-o"), folder,
                                  std::string("--threads"), std::string("1")})
    names.push_back(word);
  return names;
}

// Every tag is closed by its own, in order; the rest of what a parser would refuse is left to the browser.
std::string unbalanced(const std::string& html) {
  std::vector<std::string> open;
  const std::string body = html.substr(html.find("<html"));
  for (std::size_t at = body.find('<'); at != std::string::npos; at = body.find('<', at + 1)) {
    const std::size_t end = body.find('>', at);
    if (end == std::string::npos) return "a tag without end";
    std::string name;
    const bool closes = body[at + 1] == '/';
    for (std::size_t k = at + (closes ? 2 : 1); k < end && std::isalnum(static_cast<unsigned char>(body[k])); ++k)
      name += body[k];
    const bool alone = body[end - 1] == '/' || name == "meta" || name == "img";
    if (closes) {
      if (open.empty() || open.back() != name) return "</" + name + "> closes nothing";
      open.pop_back();
    } else if (!alone) {
      open.push_back(name);
    }
  }
  return open.empty() ? "" : "<" + open.back() + "> is not closed";
}

// Addresses that a browser would fetch: anything but data of its own and places in the page.
std::vector<std::string> fetched(const std::string& html) {
  std::vector<std::string> out;
  for (const std::string attribute : {"src=\"", "href=\"", "url(", "@import"}) {
    for (std::size_t at = html.find(attribute); at != std::string::npos; at = html.find(attribute, at + 1)) {
      const std::string value = html.substr(at + attribute.size(), 24);
      if (!value.starts_with("data:image/png;base64,") && !value.starts_with("#")) out.push_back(value);
    }
  }
  return out;
}

TEST_F(Reproduce, ListsAndSuggests) {
  EXPECT_EQ(run({"reproduce", "--list"}), 0) << err();
  for (const char* name : {"column-collapse", "silo", "chain", "beverloo", "map-kinds"})
    EXPECT_NE(out().find(name), std::string::npos) << name;
  EXPECT_EQ(run({"reproduce", "colum-colapse"}), 2);
  EXPECT_NE(err().find("did you mean 'column-collapse'"), std::string::npos) << err();
  EXPECT_EQ(run({"reproduce"}), 2);
  EXPECT_NE(err().find("--list"), std::string::npos) << err();
  EXPECT_EQ(run({"reproduce", "triangle", "--scenes", "nowhere"}), 2);
  EXPECT_NE(err().find("--scenes"), std::string::npos) << err();
}

TEST_F(Reproduce, WritesAPageThatStandsAlone) {
  ASSERT_EQ(run(reproduce({"triangle"})), 0) << err();
  EXPECT_NE(out().find("holds"), std::string::npos) << out();
  const std::string page = file_text(path("page/index.html"));
  EXPECT_EQ(unbalanced(page), "");
  EXPECT_EQ(fetched(page), std::vector<std::string>{});
  EXPECT_NE(page.find("only µ = 0.1 leads to collapse"), std::string::npos);  // the claim
  EXPECT_NE(page.find("centres sank by"), std::string::npos);                 // our number
  EXPECT_NE(page.find("<span class=\"badge holds\">holds</span>"), std::string::npos);
  EXPECT_NE(page.find("<span class=\"badge none\">not run</span>"), std::string::npos);  // all the others
  EXPECT_NE(page.find("scree run scenes/triangle.toml"), std::string::npos);             // the command
  const auto results = nlohmann::json::parse(file_text(path("page/results.json")));
  ASSERT_EQ(results["experiments"].size(), 1u);
  EXPECT_EQ(results["experiments"][0]["findings"][0]["verdict"], "holds");
  EXPECT_GT(results["experiments"][0]["quantities"][0]["value"], 0.5);
  EXPECT_NE(file_text(path("page/results.csv")).find("triangle,yes,"), std::string::npos);
}

// The whole page of an experiment with a chart, from what is kept of it.
TEST_F(Reproduce, GoesOnWhereItStopped) {
  const pid_t child = start(reproduce({"leaning-block", "disc-packing"}));
  ASSERT_TRUE(wait_for("page/leaning-block/result.json"));
  ASSERT_TRUE(wait_for("page/disc-packing"));
  kill(child, SIGINT);
  ASSERT_EQ(finish(child), 130) << err();
  EXPECT_FALSE(exists("page/disc-packing/result.json"));
  const auto started = [&] { return record("page/leaning-block/leaning-block-0.1")["started"]; };
  const auto before = started();

  ASSERT_EQ(run(reproduce({"leaning-block"})), 0) << err();
  EXPECT_NE(out().find("(kept)"), std::string::npos) << out();

  // Without its result the experiment is done again, from the runs that were finished.
  const std::string page = file_text(path("page/index.html"));
  fs::remove(path("page/leaning-block/result.json"));
  ASSERT_EQ(run(reproduce({"leaning-block"})), 0) << err();
  EXPECT_EQ(out().find("(kept)"), std::string::npos) << out();
  EXPECT_EQ(started(), before);
  EXPECT_NE(page.find("<svg class=\"chart\""), std::string::npos);
  EXPECT_EQ(unbalanced(page), "");
}

TEST_F(Reproduce, ARunOfAnotherSceneIsNotUsed) {
  ASSERT_EQ(run(reproduce({"triangle"})), 0) << err();
  const std::string run_folder = "page/triangle/triangle-0.1";
  fs::remove(path("page/triangle/result.json"));
  // As if the scene had been another one when that run was made, and the run had come out otherwise.
  nlohmann::json run_record = record(run_folder);
  const auto hash = run_record["end"]["state_hash"];
  run_record["scene"] = run_record["scene"].get<std::string>() + "# changed\n";
  run_record["end"]["state_hash"] = "0";
  write(run_folder + "/run.json", run_record.dump());
  ASSERT_EQ(run(reproduce({"triangle"})), 0) << err();
  EXPECT_EQ(record(run_folder)["end"]["state_hash"], hash);
}

const std::string boxes = R"(title = "two boxes"
[run]
duration = 0.2
[step]
dt = 1e-3
[gravity]
g = [0, -9.81]
[maps]
nodes = 24
[grains.box]
radius = 0.1
[[bodies]]
grain = "box"
positions = [[0, 0.08], [0.02, 0.24]]
[[walls]]
kind = "half-plane"
name = "floor"
)";

TEST_F(Compare, PutsKindsSideBySide) {
  write("boxes.toml", boxes);
  ASSERT_EQ(run({"compare", "boxes.toml", "--with", "table,exact", "-o", "c", "--html", "c.html"}), 0) << err();
  EXPECT_NE(out().find("time a step"), std::string::npos) << out();
  EXPECT_TRUE(exists("c/table/run.json"));
  EXPECT_EQ(record("c/exact")["map_settings"]["kind"], "exact");
  std::istringstream csv(file_text(path("c/compare.csv")));
  std::string line;
  std::getline(csv, line);
  EXPECT_EQ(line, "quantity,unit,table,exact");
  bool found = false;
  while (std::getline(csv, line)) {
    if (!line.starts_with("surface: highest,length,")) continue;
    found = true;
    // Both boxes have landed; a coarse table and the exact map agree on where.
    const std::size_t comma = line.rfind(',');
    const double exact = std::stod(line.substr(comma + 1));
    const double table = std::stod(line.substr(line.rfind(',', comma - 1) + 1));
    EXPECT_GT(exact, 0.1);
    EXPECT_NEAR(table, exact, 0.01);
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(unbalanced(file_text(path("c.html"))), "");
  EXPECT_EQ(fetched(file_text(path("c.html"))), std::vector<std::string>{});
  EXPECT_EQ(run({"compare", "boxes.toml", "--with", "table", "-o", "c"}), 2);  // there is one already
  EXPECT_EQ(run({"compare", "boxes.toml", "--with", "table", "-o", "c", "--force"}), 0) << err();
}

// The direction of a nearly upright contact is 88.99, 89.91, -89.29 and 89.96 degrees with these seeds.
TEST_F(Compare, TakesTheMeanOfAxesAsThatOfAxes) {
  write("lean.toml", R"(
[run]
duration = 0.2
[step]
dt = 1e-4
[gravity]
g = [0, -9.81]
[materials.default]
friction = 1
[grains.disc]
shape = "disc"
radius = 0.1
[[bodies]]
grain = "disc"
position = [0, 0]
kind = "fixed"
[[insert]]
method = "poisson"
grain = "disc"
x = [-0.103, 0.103]
y = [0.1, 0.306]
count = 1
)");
  ASSERT_EQ(run({"compare", "lean.toml", "--with", "table", "--seeds", "4", "-m", "fabric", "-o", "c"}), 0) << err();
  const std::string csv = file_text(path("c/compare.csv")), name = "fabric: direction_deg,deg,";
  const std::size_t at = csv.find(name);
  ASSERT_NE(at, csv.npos) << csv;
  EXPECT_NEAR(std::stod(csv.substr(at + name.size())), 89.89, 0.02);
  EXPECT_LT(std::stod(csv.substr(csv.find(',', at + name.size()) + 1)), 1);
}

// Runs of other names would not be in each other's way.
TEST_F(Compare, KeepsAnEarlierTable) {
  write("boxes.toml", boxes);
  ASSERT_EQ(run({"compare", "boxes.toml", "--with", "table", "-o", "c"}), 0) << err();
  const std::string before = file_text(path("c/compare.csv"));
  EXPECT_EQ(run({"compare", "boxes.toml", "--with", "clump", "-o", "c"}), 2);
  EXPECT_NE(err().find("--force"), std::string::npos) << err();
  EXPECT_EQ(file_text(path("c/compare.csv")), before);
}

TEST_F(Compare, MeasuresWhatTheSceneAsksFor) {
  write("boxes.toml", boxes + "[[measures]]\nkind = \"energy\"\nname = \"motion\"\n");
  ASSERT_EQ(run({"compare", "boxes.toml", "--with", "table", "-o", "c"}), 0) << err();
  EXPECT_NE(out().find("motion: kinetic"), std::string::npos) << out();
  EXPECT_EQ(out().find("surface"), std::string::npos) << out();
}

TEST_F(Compare, LeavesOutWhatAShapeCannotBe) {
  std::string text = boxes;
  text.replace(text.find("[grains.box]"), 12, "[grains.box]\nshape = \"u\"");
  write("us.toml", text);
  ASSERT_EQ(run({"compare", "us.toml", "--with", "star,table", "-o", "c"}), 0) << err();
  EXPECT_NE(err().find("star is left out"), std::string::npos) << err();
  EXPECT_TRUE(file_text(path("c/compare.csv")).starts_with("quantity,unit,table\n"));
  EXPECT_EQ(run({"compare", "us.toml", "--with", "star", "-o", "d"}), 2);
}

TEST_F(Compare, NamesTheNearestKind) {
  EXPECT_EQ(run({"compare", "scene.toml", "--with", "tabel"}), 2);
  EXPECT_NE(err().find("did you mean 'table'"), std::string::npos) << err();
}

}  // namespace

}  // namespace scree::test
