#pragma once
// What `scree reproduce` knows: experiments, each with the claims it tests and a function that runs scenes and says
// what came out. An experiment is one entry of the table of its family (one file each); experiments() joins them.
//
// To add one: write a function Outcome(Lab&), and an entry in the table at the end of its file.
#include <limits>
#include <string>
#include <vector>

#include "scree/measure/statistics.hpp"
#include "scree/record/chart.hpp"

namespace scree::cli {

class Lab;

// Undecided: it ran, and the numbers do not tell. Not run: an error kept it from being tried.
enum class Verdict { holds, fails, undecided, not_run };
const char* verdict_text(Verdict verdict);

struct Claim {
  std::string key;     // within its experiment
  std::string text;    // what is claimed, the paper's words where there is a paper
  std::string source;  // who claims it
};

struct Finding {
  std::string claim;  // key
  Verdict verdict = Verdict::not_run;
  std::string number;  // what was measured, with its spread or error
  std::string reason;  // why it does not hold, or cannot be decided; may add to one that holds
};

inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// A number for results.json and results.csv.
struct Quantity {
  std::string name;
  double value = 0;
  double error = unknown;  // standard error or spread; the note says which
  std::string unit;
  std::string note;
};

struct Figure {
  std::string file;  // PNG in the experiment's folder
  std::string caption;
};

struct Table {
  std::string caption;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

struct Outcome {
  std::vector<Finding> findings;
  std::vector<Quantity> quantities;
  std::vector<Chart> charts;
  std::vector<Figure> figures;
  std::vector<Table> tables;
};

// A run that an experiment made: how to repeat it, and what the scene was.
struct UsedScene {
  std::string file;  // in the folder of scenes
  std::vector<std::string> overrides;
  std::string hash;     // of the scene's text, overrides included
  std::string command;  // `scree run ...`
};

struct Experiment {
  std::string name;
  std::string title;
  std::string about;  // what is done, and what the quick version does less of
  std::vector<Claim> claims;
  Outcome (*run)(Lab&);
};

// For findings: the spread is that of single runs, and left out where there is but one.
std::string plus_minus(double value, double error, int digits, const std::string& unit = "");  // "23.4 ± 1.2°"
std::string plus_minus(const Spread& s, int digits, const std::string& unit = "");

std::vector<Experiment> friction_experiments();    // section 8.1 of the Configurational Element Method
std::vector<Experiment> table1_experiments();      // its scenes
std::vector<Experiment> literature_experiments();  // granular laws beyond the papers
std::vector<Experiment> map_experiments();         // kinds of contact map against each other
std::vector<Experiment> stardem_experiments();     // the StarDEM paper
const std::vector<Experiment>& experiments();

}  // namespace scree::cli
