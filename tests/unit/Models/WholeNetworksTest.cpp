// Every network runs at its usual size.
#include "tests/unit/Models/NetworkCheck.h"

#include <gtest/gtest.h>

namespace tilerig::models {
namespace {

class WholeNetworks : public testing::TestWithParam<CatalogueEntry> {};

TEST_P(WholeNetworks, Run) { checkNetwork(GetParam(), {}); }

std::string nameOf(const testing::TestParamInfo<CatalogueEntry> &info) {
  return std::string(info.param.name);
}
INSTANTIATE_TEST_SUITE_P(Zoo, WholeNetworks, testing::ValuesIn(catalogue().begin(), catalogue().end()),
                         nameOf);

} // namespace
} // namespace tilerig::models
