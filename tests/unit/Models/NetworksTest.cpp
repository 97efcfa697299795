// Every network runs, at a small size of its images where it has a choice.
#include "tests/unit/Models/NetworkCheck.h"

#include <gtest/gtest.h>

namespace tilerig::models {
namespace {

// A detector's smallest images are large: it runs with the whole networks.
std::vector<CatalogueEntry> smallNetworks() {
  std::vector<CatalogueEntry> entries;
  for (const CatalogueEntry &entry : catalogue())
    if (entry.images.least < 300)
      entries.push_back(entry);
  return entries;
}

class Networks : public testing::TestWithParam<CatalogueEntry> {};

TEST_P(Networks, Run) {
  ZooOptions options;
  if (const auto &images = GetParam().images; images.usual)
    options.variant.imageSize = std::max<int64_t>(images.least, 64);
  checkNetwork(GetParam(), options);
}

std::string nameOf(const testing::TestParamInfo<CatalogueEntry> &info) {
  return std::string(info.param.name);
}
INSTANTIATE_TEST_SUITE_P(Zoo, Networks, testing::ValuesIn(smallNetworks()), nameOf);

} // namespace
} // namespace tilerig::models
