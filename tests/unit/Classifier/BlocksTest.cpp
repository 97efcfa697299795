// Blocks that are cut out of a whole network compute, from the tensors that flow into them, what the whole network computes.
#include "classifier/Samples/Blocks.h"

#include "classifier/Samples/MakeDataset.h"
#include "isa/Bugs/Catalogue.h"
#include "models/Zoo.h"
#include "tests/support/TemporaryFolder.h"
#include "verify/Check/ReferenceRun.h"

#include <gtest/gtest.h>
#include <set>

namespace tilerig::verify {
namespace {

Result<SourceModel> smallZooNetwork(const char *name, int64_t size, reference::Threads &threads) {
  models::ZooOptions options;
  options.variant.imageSize = size;
  TILERIG_TRY(const onnx::ModelProto model,
              models::makeNetwork(*models::findNetwork(name), options, threads));
  return SourceModel::of(name, model.SerializeAsString());
}

TensorMap valuesOf(const SourceModel &source, const TensorMap &inputs, reference::Threads &threads) {
  auto run = ReferenceRun::load(*source.forReference(), reference::Arithmetic::machine, threads);
  EXPECT_TRUE(run) << run.error().message();
  auto values = run->run(inputs);
  EXPECT_TRUE(values) << values.error().message();
  return values ? *values : TensorMap();
}

TEST(Blocks, ComputeWhatTheWholeNetworkComputes) {
  reference::Threads threads(1);
  const auto source = smallZooNetwork("resnet18", 32, threads);
  ASSERT_TRUE(source) << source.error().message();
  const auto whole = WholeNetwork::run("resnet18", *source, 1, threads);
  ASSERT_TRUE(whole) << whole.error().message();
  std::set<std::string> names;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const auto block = whole->cut(Draw(seed));
    ASSERT_TRUE(block) << block.error().message();
    names.insert(block->name);
    for (const NamedTensor &value :
         valuesOf(SourceModel::of(block->name, block->bytes), block->inputs, threads)) {
      const Tensor *right = whole->tensors().find(value.name);
      ASSERT_TRUE(right) << value.name << " of " << block->name;
      EXPECT_TRUE(identical(*right, value.tensor)) << value.name << " of " << block->name;
    }
  }
  EXPECT_GT(names.size(), 100u);
}

TEST(Blocks, AreTheSameWhereverTheyAreDrawn) {
  reference::Threads one(1), two(2);
  const auto read = [](reference::Threads &threads) { return smallZooNetwork("squeezenet", 48, threads); };
  const Family first = blocksOf("squeezenet", "", 1, read), second = blocksOf("squeezenet", "", 1, read);
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const auto a = first.draw(seed, one), b = second.draw(19 - seed, two), c = second.draw(seed, two);
    ASSERT_TRUE(a && b && c);
    EXPECT_EQ(a->bytes, c->bytes);
    for (const NamedTensor &input : a->inputs)
      EXPECT_TRUE(identical(input.tensor, *c->inputs.find(input.name)));
  }
}

TEST(Blocks, GiveSamples) {
  TemporaryFolder folder;
  const Family family = blocksOf("squeezenet", "fire", 1, [](reference::Threads &threads) {
    return smallZooNetwork("squeezenet", 48, threads);
  });
  DatasetOptions options;
  options.folder = folder.path("data");
  options.samples = 10;
  options.choice = {
      .seed = 2, .families = {&family}, .bugs = {findBug("bias-missing"), findBug("pad-amount")}};
  const auto manifest = makeDataset(options);
  ASSERT_TRUE(manifest) << manifest.error().message();
  EXPECT_GE(manifest->classes.at("bias_loading"), 3u);
  const auto shard = readShard(options.folder + "/" + shardName(0));
  ASSERT_TRUE(shard) << shard.error().message();
  EXPECT_EQ(shard->origins.front().family, "fire");
}

// A network that cannot be read is refused each time, with its error.
TEST(Blocks, OfAMissingModelAreRefused) {
  reference::Threads threads(1);
  const Family family =
      blocksOf("missing", "", 1, [](reference::Threads &) { return SourceModel::read("no-such-file.onnx"); });
  for (int i = 0; i < 2; ++i) {
    const auto block = family.draw(1, threads);
    ASSERT_FALSE(block);
    EXPECT_NE(block.error().message().find("no-such-file.onnx"), std::string::npos);
  }
}

} // namespace
} // namespace tilerig::verify
