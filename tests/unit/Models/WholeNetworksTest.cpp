// Every network of the zoo runs at its usual image size.
#include "tests/unit/Models/NetworkCheck.h"

#include <gtest/gtest.h>

namespace tilerig::models {
namespace {

std::vector<std::string> allNetworks() {
  std::vector<std::string> names;
  for (const CatalogueEntry &entry : catalogue())
    names.emplace_back(entry.name);
  return names;
}

class WholeNetworks : public testing::TestWithParam<std::string> {};

TEST_P(WholeNetworks, Run) { checkNetwork(*findNetwork(GetParam()), {}); }

std::string nameOf(const testing::TestParamInfo<std::string> &info) { return info.param; }
INSTANTIATE_TEST_SUITE_P(Zoo, WholeNetworks, testing::ValuesIn(allNetworks()), nameOf);

} // namespace
} // namespace tilerig::models
