// Every network of the zoo runs, at a small image size if its image size can be chosen.
#include "tests/unit/Models/NetworkCheck.h"

#include <gtest/gtest.h>

namespace tilerig::models {
namespace {

// Networks that run quickly. Only WholeNetworksTest runs the others: the detector, whose smallest images are
// large, and networks with 100 million parameters or more.
std::vector<std::string> smallNetworks() {
  std::vector<std::string> names;
  for (const CatalogueEntry &entry : catalogue())
    if (entry.images.least < 300 && countParameters(*describeNetwork(entry, {})) < 100'000'000)
      names.emplace_back(entry.name);
  return names;
}

class Networks : public testing::TestWithParam<std::string> {};

TEST_P(Networks, Run) {
  const CatalogueEntry &entry = *findNetwork(GetParam());
  ZooOptions options;
  if (entry.images.usual)
    options.variant.imageSize = std::max<int64_t>(entry.images.least, 64);
  checkNetwork(entry, options);
}

std::string nameOf(const testing::TestParamInfo<std::string> &info) { return info.param; }
INSTANTIATE_TEST_SUITE_P(Zoo, Networks, testing::ValuesIn(smallNetworks()), nameOf);

} // namespace
} // namespace tilerig::models
