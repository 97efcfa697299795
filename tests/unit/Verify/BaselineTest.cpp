// Tests of the comparison of a check with an earlier one (its baseline), worked out by hand.
#include "verify/Check/Baseline.h"

#include <gtest/gtest.h>

namespace tilerig::verify::test {
namespace {

Json layer(const char *name, const char *status, double maxAbs, double noise = 0) {
  return {{"record", "layer"},
          {"name", name},
          {"status", status},
          {"max_abs", maxAbs},
          {"noise", {{"status", "match"}, {"max_abs", noise}}}};
}

std::vector<std::string> changes(const std::vector<Json> &now, const std::vector<Json> &before) {
  std::vector<std::string> words;
  for (const Json &change : compareWithBaseline(now, before))
    words.push_back(change["of"].get<std::string>() + " " + change["name"].get<std::string>() + " " +
                    change["change"].get<std::string>());
  return words;
}

TEST(Baseline, NothingChanged) {
  const std::vector<Json> run = {{{"record", "run"}}, layer("a", "match", 0), layer("b", "mismatch", 2)};
  EXPECT_EQ(changes(run, run), std::vector<std::string>{});
}

TEST(Baseline, ReportsNewFixedChangedAndGone) {
  Json emitted = layer("a", "match", 0);
  emitted["record"] = "emitted";
  Json emittedWrong = layer("a", "mismatch", 1);
  emittedWrong["record"] = "emitted";
  const std::vector<Json> before = {layer("same", "match", 0),     layer("breaks", "match", 0),
                                    layer("mends", "mismatch", 2), layer("worse", "mismatch", 2),
                                    layer("heir", "mismatch", 2),  layer("rounds", "match", 0, 0.5),
                                    layer("vanishes", "match", 0), emitted};
  const std::vector<Json> now = {
      layer("same", "match", 0),        layer("breaks", "mismatch", 1),     layer("mends", "match", 0),
      layer("worse", "mismatch", 3),    layer("heir", "inherited", 2),      layer("rounds", "match", 0, 0.25),
      layer("comes_right", "match", 0), layer("comes_wrong", "missing", 0), emittedWrong};
  const std::vector<std::string> expected = {
      "layer breaks new",      "layer mends fixed",    "layer worse changed",
      "layer heir changed",    "layer rounds changed", "layer comes_right changed",
      "layer comes_wrong new", "emitted a new",        "layer vanishes gone"};
  EXPECT_EQ(changes(now, before), expected);
}

} // namespace
} // namespace tilerig::verify::test
