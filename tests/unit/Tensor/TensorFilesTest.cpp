#include "isa/Base/Tensor/TensorFiles.h"

#include "isa/Base/Support/File.h"
#include "isa/Base/Tensor/TensorProto.h"
#include "tests/support/RandomTensor.h"
#include "tests/support/TemporaryFolder.h"

namespace tilerig {

static TensorMap one(std::string name, Tensor tensor) {
  TensorMap tensors;
  EXPECT_TRUE(tensors.add(std::move(name), std::move(tensor)));
  return tensors;
}

static std::string namesIn(const TensorMap &tensors) {
  std::string names;
  for (const NamedTensor &entry : tensors)
    names += entry.name + " ";
  return names;
}

TEST(TensorFiles, TheEndingDecidesTheForm) {
  TemporaryFolder folder;
  Tensor tensor = Tensor::of<float>({2}, {1, 2});
  for (const char *file : {"x.npz", "x.npy", "x.pb"}) {
    ASSERT_TRUE(writeTensors(folder.path(file), one("x", tensor)));
    auto read = readTensors(folder.path(file));
    ASSERT_TRUE(read) << messageOf(read);
    ASSERT_NE(read->find("x"), nullptr) << file;
    EXPECT_TRUE(identical(*read->find("x"), tensor));
  }
  EXPECT_TRUE(readText(folder.path("x.npz"))->starts_with("PK"));
  EXPECT_TRUE(readText(folder.path("x.npy"))->starts_with("\x93NUMPY"));
  EXPECT_TRUE(readText(folder.path("x.pb"))->starts_with("\x08\x02\x10\x01"));
}

TEST(TensorFiles, AreKnownByTheirFirstBytes) {
  TemporaryFolder folder;
  ASSERT_TRUE(writeTensors(folder.path("x.npz"), one("inside", Tensor())));
  std::filesystem::rename(folder.path("x.npz"), folder.path("x.dat"));
  auto read = readTensors(folder.path("x.dat"));
  ASSERT_TRUE(read);
  EXPECT_EQ(namesIn(*read), "inside ");
}

// Files truncated at any place: the fault that the error reports depends on the place, the remedy that it
// suggests does not.
TEST(TensorFiles, BrokenOnesAreToBeSavedAgain) {
  TemporaryFolder folder;
  const std::pair<std::string, std::string> files[] = {
      {"x.npz", "numpy.savez"}, {"x.npy", "numpy.save"}, {"x.pb", "onnx.numpy_helper"}};
  for (const auto &[file, remedy] : files) {
    const std::string path = folder.path(file);
    ASSERT_TRUE(writeTensors(path, one("x", Tensor::of<float>({3}, {1, 2, 3}))));
    const std::string whole = *readText(path);
    for (size_t length = 9; length < whole.size(); length += 7) {
      ASSERT_TRUE(writeText(path, whole.substr(0, length)));
      const auto read = readTensors(path);
      ASSERT_FALSE(read) << file << " of " << length << " bytes";
      EXPECT_NE(read.error().message().find(remedy), std::string::npos) << read.error().message();
    }
  }
}

TEST(TensorFiles, OfAFolderComeInTheirOrder) {
  TemporaryFolder folder;
  for (const char *name : {"input_10", "input_2", "input_1", "output_0"})
    ASSERT_TRUE(writeTensorProto(folder.path(std::string(name) + ".pb"), "", Tensor()));
  ASSERT_TRUE(writeTensorProto(folder.path("input_3.pb"), "named", Tensor()));
  ASSERT_TRUE(writeTensors(folder.path("zz.npz"), one("in npz", Tensor())));
  ASSERT_TRUE(writeText(folder.path(".hidden"), "x"));
  auto read = readTensors(folder.path());
  ASSERT_TRUE(read) << messageOf(read);
  EXPECT_EQ(namesIn(*read), "input_1 input_2 named input_10 output_0 in npz ");
}

TEST(TensorFiles, RefusesStrangersInAFolder) {
  TemporaryFolder folder;
  EXPECT_REFUSED(readTensors(folder.path()), "the folder contains no tensors");
  ASSERT_TRUE(writeText(folder.path("README"), "x"));
  EXPECT_REFUSED(readTensors(folder.path()), "README: this is not a file of tensors");
  EXPECT_REFUSED(readTensors(folder.path("README")),
                 "give an .npz, .npy, .safetensors or TensorProto .pb file, or a .json file of Polygraphy");
  EXPECT_REFUSED(readTensors(folder.path("none.npz")), "No such file");
}

TEST(TensorFiles, RefusesNamesThatMeet) {
  TemporaryFolder folder;
  ASSERT_TRUE(writeTensors(folder.path("x.npy"), one("x", Tensor())));
  ASSERT_TRUE(writeTensors(folder.path("y.npz"), one("x", Tensor())));
  EXPECT_REFUSED(readTensors(folder.path()), "y.npz: there are two tensors named 'x'");
}

TEST(TensorFiles, WritesOneTensorToAFileForOne) {
  TemporaryFolder folder;
  TensorMap two = one("x", Tensor());
  ASSERT_TRUE(two.add("y", Tensor()));
  EXPECT_TRUE(writeTensors(folder.path("x.npz"), two));
  EXPECT_REFUSED(writeTensors(folder.path("x.npy"), two),
                 "holds one tensor, but there are 2; write an .npz file");
  EXPECT_REFUSED(writeTensors(folder.path("x.pb"), TensorMap()), "there are 0");
  EXPECT_REFUSED(writeTensors(folder.path("x.txt"), two), "use .npz, .npy or .pb");
}

} // namespace tilerig
