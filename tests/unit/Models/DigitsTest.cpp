// The trained network of the zoo classifies handwritten digits that were not in its training set.
#include "isa/Base/Tensor/Npz.h"
#include "reference/Model/Load.h"
#include "reference/Run/Interpreter.h"
#include "tests/support/Folders.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace tilerig::models {
namespace {

Tensor loaded(NpzReader &file, const std::string &name) {
  auto tensor = file.load(name);
  EXPECT_TRUE(tensor) << tensor.error().message();
  return tensor ? *std::move(tensor) : Tensor();
}

TEST(Digits, AreRead) {
  auto file = NpzReader::open(test::sourceFolder() + "/models/digits/test.npz");
  ASSERT_TRUE(file) << file.error().message();
  Tensor images = loaded(*file, "images"), labels = loaded(*file, "labels");
  ASSERT_EQ(images.shape(), (Shape{500, 1, 8, 8}));
  ASSERT_EQ(labels.shape(), (Shape{500}));
  auto model = reference::loadModel(test::sourceFolder() + "/models/digits/digits.onnx");
  ASSERT_TRUE(model) << model.error().message();
  reference::Threads threads;
  auto interpreter = reference::Interpreter::create(*std::move(model), {}, threads);
  ASSERT_TRUE(interpreter) << interpreter.error().message();
  auto outputs = interpreter->run({{"image", images}});
  ASSERT_TRUE(outputs) << outputs.error().message();
  const Tensor &logits = outputs->at("logits");
  ASSERT_EQ(logits.shape(), (Shape{500, 10}));
  int right = 0;
  for (size_t i = 0; i < 500; ++i) {
    auto row = logits.as<float>().subspan(10 * i, 10);
    right += std::ranges::max_element(row) - row.begin() == labels.as<int64_t>()[i];
  }
  EXPECT_GE(right, 485) << "97 % of 500 images";
}

} // namespace
} // namespace tilerig::models
