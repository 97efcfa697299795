// Networks of the zoo have the same bytes for any number of threads and on any processor.
#include "models/Zoo.h"

#include "isa/Base/Support/Hash.h"

#include <gtest/gtest.h>

namespace tilerig::models {
namespace {

std::string bytesOf(std::string_view name, const ZooOptions &options, unsigned count) {
  reference::Threads threads(count);
  auto model = makeNetwork(*findNetwork(name), options, threads);
  EXPECT_TRUE(model) << model.error().message();
  return model->SerializeAsString();
}

constexpr ZooOptions small{
    .variant = {.batch = 1, .imageSize = 64, .opset = 17}, .seed = 1, .foldNorms = false};

TEST(Determinism, ResultsDoNotDependOnThreads) {
  for (const char *name : {"squeezenet", "mobilenet_v2"}) {
    std::string alone = bytesOf(name, small, 1);
    EXPECT_TRUE(alone == bytesOf(name, small, 2)) << name;
    EXPECT_TRUE(alone == bytesOf(name, small, 5)) << name;
  }
}

TEST(Determinism, ResultsDependOnTheSeed) {
  ZooOptions other = small;
  other.seed = 2;
  EXPECT_FALSE(bytesOf("squeezenet", small, 2) == bytesOf("squeezenet", other, 2));
}

// Hashes that pin the bytes of two networks, so that different machines can be compared. A deliberate change
// of the networks changes these numbers.
TEST(Determinism, HashesAgreeOnEveryProcessor) {
  EXPECT_EQ(hashText(bytesOf("squeezenet", small, 2)), 17081761349219650400u);
  EXPECT_EQ(hashText(bytesOf("resnet18", small, 2)), 6416005869447977079u);
}

} // namespace
} // namespace tilerig::models
