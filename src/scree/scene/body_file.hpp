#pragma once
// Tables of grains in files: the columns of [[bodies]] that a `file` brings. Inside scene/ only.
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace scree {

inline constexpr std::uint64_t most_bodies = 100'000'000;  // of one file

enum class BodyColumn {
  number,
  pair,    // two numbers a row; stands for two columns
  text,    // a name
  unused,  // of an export; nothing to be had from it
};

struct BodyTable {
  std::size_t rows = 0;
  std::map<std::string, std::vector<double>> numbers;     // pairs as two columns
  std::map<std::string, std::vector<std::string>> texts;  // "" where the file has nothing
  bool one_instant = false;                               // the reader has chosen it already
  // Where a value stands in the file, for messages.
  std::function<std::string(std::size_t row, const std::string& column)> place;

  bool has(const std::string& column) const { return numbers.contains(column) || texts.contains(column); }
};

struct BodyFile {
  std::filesystem::path path;
  std::string table;  // inside the file; "" for the file itself
  std::optional<double> time;
  std::vector<std::string> ignore;

  // What the column called `name` is, nothing for one to pass over. Error(input) at `where` for an unknown one.
  std::optional<BodyColumn> column(const std::string& name, const std::string& where) const;
  [[noreturn]] void fail(const std::string& problem, const std::string& remedy) const;
};

// The two columns that a pair stands for: "position" is x and y, "velocity" vx and vy.
std::vector<std::string> parts_of_pair(const std::string& name);

// The grains of one instant. Error(input) names file, place and remedy.
BodyTable read_body_table(const BodyFile& file);

// One format each.
BodyTable read_csv_bodies(const BodyFile& file);
BodyTable read_npy_bodies(const BodyFile& file);
BodyTable read_npz_bodies(const BodyFile& file);
BodyTable read_hdf5_bodies(const BodyFile& file);

}  // namespace scree
