#pragma once
// The page of `scree reproduce`: one HTML file that holds its pictures and plots and refers to nothing outside.
#include <filesystem>
#include <string>
#include <vector>

#include "reproduce/kept.hpp"

namespace scree::cli {

// Experiments in the order of the table; those without a result are shown as not run. Pictures are looked up in
// `folder`/EXPERIMENT.
std::string reproduce_page(const std::vector<Experiment>& experiments, const std::vector<KeptResult>& results,
                           const std::filesystem::path& folder);

// Base64 of a file's bytes.
std::string base64_file(const std::filesystem::path& file);

}  // namespace scree::cli
