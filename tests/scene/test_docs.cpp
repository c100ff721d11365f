// The written reference is the schema's, and what the documents show is true.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "scene_text.hpp"
#include "scree/scene/schema.hpp"

namespace scree::test {

namespace {

const std::filesystem::path root = SCREE_SOURCE_DIR;
const std::string marker = "<!-- reference: do not edit below; SCREE_UPDATE_DOCS=1 test_scene rewrites it -->\n";

std::string file_text(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// Blocks fenced as toml.
std::vector<std::string> examples(const std::string& markdown) {
  std::vector<std::string> out;
  const std::string fence = "```toml";
  for (std::size_t at = markdown.find(fence); at != std::string::npos; at = markdown.find(fence, at + 1)) {
    const std::size_t begin = markdown.find('\n', at) + 1;  // a title may follow
    out.push_back(markdown.substr(begin, markdown.find("```", begin) - begin));
  }
  return out;
}

TEST(SceneDocs, TheReferenceIsTheSchema) {
  const std::filesystem::path path = root / "docs/scene-format.md";
  const std::string text = file_text(path);
  const std::size_t at = text.find(marker);
  ASSERT_NE(at, std::string::npos);
  const std::string wanted = text.substr(0, at + marker.size()) + "\n" + schema_markdown();
  if (std::getenv("SCREE_UPDATE_DOCS")) std::ofstream(path) << wanted;
  EXPECT_TRUE(file_text(path) == wanted) << "docs/scene-format.md is old: run SCREE_UPDATE_DOCS=1 test_scene";
}

TEST(SceneDocs, EveryExampleReads) {
  std::vector<std::string> all = examples(file_text(root / "docs/scene-format.md"));
  ASSERT_GE(all.size(), 5u);
  const std::vector<std::string> first = examples(file_text(root / "README.md"));
  ASSERT_EQ(first.size(), 1u);
  all.push_back(first.front());
  for (const std::string& text : all) {
    EXPECT_EQ(error_of(text), "") << text;
    for (const std::string& warning : read(text).warnings) ADD_FAILURE() << warning << "\n" << text;
  }
}

TEST(SceneDocs, EverySceneInTheRepositoryReads) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "scenes")) {
    if (entry.path().extension() != ".toml") continue;
    ++count;
    try {
      load_scene(entry.path());
    } catch (const Error& e) { ADD_FAILURE() << e.what(); }
  }
  EXPECT_GE(count, 1u);
}

TEST(Schema, EveryDefaultPassesItsOwnChecks) {
  for (const Section& section : scene_schema()) {
    EXPECT_FALSE(section.summary.empty()) << section.name;
    for (const Field& f : section.fields) {
      EXPECT_FALSE(f.meaning.empty()) << section.name << "." << f.name;
      if (!f.only.empty()) {
        const Field* selector = section.find(section.selector);
        ASSERT_NE(selector, nullptr) << section.name;
        for (const std::string& word : f.only) EXPECT_EQ(std::ranges::count(selector->words, word), 1) << word;
      }
    }
  }
}

}  // namespace

}  // namespace scree::test
