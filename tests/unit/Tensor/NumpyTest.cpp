// Tests of files exchanged with numpy in both directions: all types, shapes, element and byte orders, and
// variants of npy and npz files. The script numpy_files.py reads and writes the files with numpy. Skipped if
// numpy is not installed.
#include "isa/Base/Tensor/Npy.h"
#include "isa/Base/Tensor/Npz.h"
#include "tests/support/Folders.h"
#include "tests/support/RandomTensor.h"
#include "tests/support/TemporaryFolder.h"

#include <cstdlib>
#include <fmt/format.h>

namespace tilerig {

static const std::vector<Shape> shapes = {{},       {0}, {5}, {2, 3}, {3, 0, 2}, {2, 3, 4}, {1, 1, 1, 1, 7},
                                          {100, 33}};

// Generates the same contents as contents() in numpy_files.py.
static Tensor contents(DType type, const Shape &shape) {
  Tensor tensor(type, shape);
  uint32_t state = 12345;
  for (std::byte &byte : tensor.mutableBytes()) {
    state = (state * 1103515245u + 12345u) & 0x7FFFFFFF;
    byte = static_cast<std::byte>(state >> 16 & (type == DType::boolean ? 1 : 255));
  }
  return tensor;
}

static std::string nameFor(DType type, const Shape &shape) {
  return fmt::format("{}{}{}", nameOf(type), shape.empty() ? "" : "-", fmt::join(shape, "-"));
}

template <class Each>
static void forEachTensor(Each each) {
  for (DType type : allDTypes())
    if (type != DType::bf16)
      for (const Shape &shape : shapes)
        each(nameFor(type, shape), contents(type, shape));
}

static bool run(const std::string &command) { return std::system(command.c_str()) == 0; }

static bool runNumpy(const char *action, const TemporaryFolder &folder) {
  return run(fmt::format("{} {} {} {}", PYTHON, test::sourceFolder() + "/tests/unit/Tensor/numpy_files.py",
                         action, folder.path()));
}

class Numpy : public testing::Test {
protected:
  void SetUp() override {
    if (!run(PYTHON " -c 'import numpy' >/dev/null 2>&1"))
      GTEST_SKIP() << PYTHON " has no numpy (package python3-numpy)";
  }
  TemporaryFolder folder;
};

TEST_F(Numpy, FilesOfNumpyAreRead) {
  ASSERT_TRUE(runNumpy("write", folder));
  size_t checked = 0;
  auto stored = readNpz(folder.path("stored.npz")), deflated = readNpz(folder.path("deflated.npz"));
  ASSERT_TRUE(stored) << messageOf(stored);
  ASSERT_TRUE(deflated) << messageOf(deflated);
  forEachTensor([&](const std::string &name, const Tensor &expected) {
    for (const char *form : {"c", "fortran", "big", "v2", "v3"}) {
      auto read = readNpy(folder.path(name + "." + form + ".npy"));
      ASSERT_TRUE(read) << messageOf(read);
      EXPECT_TRUE(identical(*read, expected)) << name << "." << form;
      ++checked;
    }
    for (const TensorMap *tensors : {&*stored, &*deflated}) {
      ASSERT_NE(tensors->find(name), nullptr) << name;
      EXPECT_TRUE(identical(*tensors->find(name), expected)) << name;
    }
  });
  EXPECT_EQ(checked, 14 * shapes.size() * 5);
  EXPECT_EQ(stored->size(), 14 * shapes.size());
}

TEST_F(Numpy, NamesAndStreamedArchivesAreRead) {
  ASSERT_TRUE(runNumpy("write", folder));
  auto names = NpzReader::open(folder.path("names.npz"));
  ASSERT_TRUE(names) << messageOf(names);
  EXPECT_EQ(names->names(), (std::vector<std::string>{"a/b",
                                                      "gr\xC3\xB6\xC3\x9F"
                                                      "e",
                                                      "x.npy", ""}));
  EXPECT_TRUE(identical(*names->load("a/b"), contents(DType::f32, {2, 3})));
  auto streamed = readNpz(folder.path("streamed.npz"));
  ASSERT_TRUE(streamed) << messageOf(streamed);
  EXPECT_TRUE(identical(*streamed->find("x"), contents(DType::f32, {100, 33})));
}

TEST_F(Numpy, WhatIsNoTensorOfNumbersIsRefused) {
  ASSERT_TRUE(runNumpy("write", folder));
  EXPECT_REFUSED(readNpy(folder.path("object.npy")), "Python objects");
  EXPECT_REFUSED(readNpy(folder.path("text.npy")), "means text");
  EXPECT_REFUSED(readNpy(folder.path("structure.npy")), "is a structure");
}

TEST_F(Numpy, OurFilesAreReadByNumpy) {
  TensorMap tensors;
  forEachTensor([&](const std::string &name, const Tensor &tensor) {
    ASSERT_TRUE(writeNpy(folder.path(name + ".npy"), tensor));
    ASSERT_TRUE(tensors.add(name, tensor));
  });
  ASSERT_TRUE(tensors.add("a/b", Tensor::of<BFloat16>({2}, {{0x3F80}, {0xC000}})));
  ASSERT_TRUE(tensors.add("gr\xC3\xB6\xC3\x9F"
                          "e",
                          Tensor(DType::f32, {3})));
  const std::pair<const char *, ZipWriteOptions> forms[] = {{"stored.npz", {false}},
                                                            {"deflated.npz", {true}},
                                                            {"stored64.npz", {false, 0}},
                                                            {"deflated64.npz", {true, 0}},
                                                            {"mixed64.npz", {false, 1000}}};
  for (auto &[name, options] : forms)
    ASSERT_TRUE(writeNpz(folder.path(name), tensors, options));
  EXPECT_TRUE(runNumpy("check", folder));
}

} // namespace tilerig
