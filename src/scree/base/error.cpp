#include "scree/base/error.hpp"

namespace scree {

namespace {

std::string compose(const std::string& where, const std::string& problem, const std::string& remedy) {
  std::string text = where.empty() ? problem : where + ": " + problem;
  if (!remedy.empty()) text += "\n  remedy: " + remedy;
  return text;
}

}  // namespace

Error::Error(ErrorKind kind, std::string where, std::string problem, std::string remedy)
    : std::runtime_error(compose(where, problem, remedy)),
      kind_(kind),
      where_(std::move(where)),
      problem_(std::move(problem)),
      remedy_(std::move(remedy)) {}

}  // namespace scree
