// Tests of the network descriptions of the zoo: sizes equal published numbers, and descriptions that cannot
// be built are refused.
#include "models/Zoo.h"

#include <gtest/gtest.h>
#include <set>

namespace tilerig::models {
namespace {

Network described(std::string_view name, const Variant &variant = {}) {
  auto network = describeNetwork(*findNetwork(name), variant);
  EXPECT_TRUE(network) << network.error().message();
  return *std::move(network);
}

// Parameter counts equal the published ones: torchvision's resnet18, resnet50, vgg16, vgg19, squeezenet1_1
// and mobilenet_v2; Caffe's bvlc_alexnet and bvlc_googlenet (without auxiliary classifiers); Keras' MobileNet
// (trainable parameters); timm's deit_tiny_patch16_224.
TEST(Catalogue, ParametersAreThoseOfThePublishedNetworks) {
  const std::pair<std::string_view, int64_t> published[] = {
      {"resnet18", 11'689'512}, {"resnet50", 25'557'032},    {"vgg16", 138'357'544},
      {"vgg19", 143'667'240},   {"squeezenet", 1'235'496},   {"mobilenet_v2", 3'504'872},
      {"alexnet", 60'965'224},  {"inception_v1", 6'998'552}, {"mobilenet_v1", 4'231'976},
      {"vit_tiny", 5'717'416}};
  for (auto [name, parameters] : published)
    EXPECT_EQ(countParameters(described(name)), parameters) << name;
}

// Counts of multiply-accumulates, in millions, equal the published ones: torchvision's documentation; for
// alexnet (with the two groups of its paper) Caffe's model zoo; for mobilenet_v1 its paper.
TEST(Catalogue, MacsAreThoseOfThePublishedNetworks) {
  const std::pair<std::string_view, double> published[] = {
      {"resnet18", 1814},  {"resnet50", 4089},    {"vgg16", 15470},      {"vgg19", 19632},
      {"squeezenet", 349}, {"mobilenet_v2", 301}, {"mobilenet_v1", 569}, {"alexnet", 724}};
  for (auto [name, macs] : published)
    EXPECT_NEAR(static_cast<double>(described(name).macs) / 1e6, macs, 1) << name;
}

TEST(Catalogue, ABatchMultipliesMacsAndNotParameters) {
  for (const CatalogueEntry &entry : catalogue()) {
    Network one = described(entry.name), three = described(entry.name, {.batch = 3});
    EXPECT_EQ(three.macs, 3 * one.macs) << entry.name;
    EXPECT_EQ(countParameters(three), countParameters(one)) << entry.name;
  }
}

TEST(Catalogue, EveryOpsetIsDeclaredAsAsked) {
  for (const CatalogueEntry &entry : catalogue())
    for (int opset = leastOpset; opset <= mostOpset; ++opset) {
      Network network = described(entry.name, {.opset = opset});
      EXPECT_EQ(network.model.opset_import(0).version(), opset);
      for (const onnx::NodeProto &node : network.model.graph().node())
        EXPECT_TRUE(opset >= 17 || node.op_type() != "LayerNormalization") << entry.name;
    }
}

// Names of nodes and values are unique, because some readers refuse models whose nodes share a name.
TEST(Catalogue, NamesAreUnique) {
  for (const CatalogueEntry &entry : catalogue()) {
    Network network = described(entry.name);
    std::set<std::string> nodes, values;
    for (const WeightRecipe &weight : network.weights)
      EXPECT_TRUE(values.insert(weight.name).second) << entry.name << ": " << weight.name;
    for (const onnx::TensorProto &tensor : network.model.graph().initializer())
      EXPECT_TRUE(values.insert(tensor.name()).second) << entry.name << ": " << tensor.name();
    for (const onnx::NodeProto &node : network.model.graph().node()) {
      EXPECT_TRUE(nodes.insert(node.name()).second) << entry.name << ": " << node.name();
      for (const std::string &output : node.output())
        EXPECT_TRUE(values.insert(output).second) << entry.name << ": " << output;
    }
  }
}

// Networks can be described for every third admissible image size, odd and even.
TEST(Catalogue, AdmittedImageSizesCanBeDescribed) {
  for (const CatalogueEntry &entry : catalogue())
    for (int64_t size = entry.images.least; size && size <= 320; size += 3 * entry.images.step) {
      auto network = describeNetwork(entry, {.imageSize = size});
      ASSERT_TRUE(network) << network.error().message();
      for (const WeightRecipe &weight : network->weights)
        ASSERT_GT(countElements(weight.shape), 0) << entry.name << " " << size << " " << weight.name;
      for (int64_t dim : {0, 1})
        EXPECT_NE(network->model.graph().output(0).type().tensor_type().shape().dim(dim).dim_value(), 0);
    }
}

TEST(Catalogue, WhatDoesNotSuitANetworkIsRefused) {
  struct CatalogueCase {
    std::string_view name;
    Variant variant;
    std::string says;
  };
  const CatalogueCase cases[] = {
      {"resnet18", {.opset = 12}, "resnet18: opset 12 is not supported; choose 13 to 21"},
      {"resnet18", {.opset = 22}, "resnet18: opset 22 is not supported; choose 13 to 21"},
      {"resnet18", {.batch = 0}, "resnet18: a batch of 0 is not supported; choose 1 to 4096"},
      {"resnet18", {.batch = -1}, "resnet18: a batch of -1 is not supported; choose 1 to 4096"},
      {"resnet18",
       {.imageSize = 31},
       "resnet18: images of 31 × 31 are not supported; choose an image size from 32 to 512"},
      {"resnet18",
       {.imageSize = 513},
       "resnet18: images of 513 × 513 are not supported; choose an image size from 32 to 512"},
      {"resnet18",
       {.imageSize = -224},
       "resnet18: images of -224 × -224 are not supported; choose an image size from 32 to 512"},
      {"vit_tiny",
       {.imageSize = 100},
       "vit_tiny: images of 100 × 100 are not supported; "
       "choose an image size from 32 to 512, a multiple of 16"},
      {"bert_tiny", {.imageSize = 224}, "bert_tiny: the network takes no images; leave out --image-size"},
      {"vgg16",
       {.imageSize = 512},
       "vgg16: the network has 572468008 parameters, but at most 500000000 fit into an ONNX file; choose a "
       "smaller --image-size: dense layers grow with it"},
  };
  for (const CatalogueCase &refused : cases) {
    auto network = describeNetwork(*findNetwork(refused.name), refused.variant);
    ASSERT_FALSE(network) << refused.says;
    EXPECT_EQ(network.error().message(), refused.says);
    EXPECT_EQ(network.error().kind, ErrorKind::usage);
  }
  EXPECT_EQ(findNetwork("resnet"), nullptr);
}

} // namespace
} // namespace tilerig::models
