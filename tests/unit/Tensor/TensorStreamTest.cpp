// Tests of tensor streams: they give the same bytes as loading, for any alignment and any read size, and
// refuse the same files.
#include "isa/Base/Tensor/TensorStream.h"

#include "isa/Base/Tensor/Npz.h"
#include "tests/support/RandomTensor.h"
#include "tests/support/TemporaryFolder.h"

namespace tilerig {

namespace {

// Reads the whole stream in pieces of `stretch` bytes.
Result<std::vector<std::byte>> readAll(const TensorStream &stream, size_t stretch) {
  TensorReader reader(stream);
  std::vector<std::byte> all, buffer;
  for (;;) {
    TILERIG_TRY(const auto bytes, reader.next(stretch, buffer));
    if (bytes.empty())
      return all;
    EXPECT_LE(bytes.size(), stretch);
    all.insert(all.end(), bytes.begin(), bytes.end());
    stream.release(bytes);
  }
}

void expectSame(const TensorStream &stream, const Tensor &tensor) {
  EXPECT_EQ(stream.dtype(), tensor.dtype());
  EXPECT_EQ(stream.shape(), tensor.shape());
  EXPECT_EQ(stream.elementCount(), tensor.elementCount());
  for (size_t stretch : {size_t{4096}, size_t{999'999}, size_t{1} << 30}) {
    auto read = readAll(stream, stretch); // each call opens a new reader at the start of the tensor
    ASSERT_TRUE(read) << messageOf(read);
    EXPECT_TRUE(std::ranges::equal(*read, tensor.bytes())) << stretch;
  }
  auto whole = stream.whole();
  ASSERT_TRUE(whole) << messageOf(whole);
  EXPECT_TRUE(identical(*whole, tensor));
}

// Size of a tensor that is so large that its archive is viewed in place instead of copied.
constexpr int64_t rows = 1500, columns = 501;

class Archive {
public:
  Archive(const Tensor &tensor, bool deflate) {
    TensorMap tensors;
    EXPECT_TRUE(tensors.add("x", tensor));
    EXPECT_TRUE(writeNpz(path, tensors, {deflate}));
  }
  std::string bytes() const { return *readText(path); }
  // A stream over an archive in memory, `shift` bytes off alignment, as in numpy's archives.
  static Result<TensorStream> streamOf(std::string bytes, size_t shift, NpzReadOptions options = {}) {
    auto held = std::make_shared<std::string>(std::string(shift, ' ') + std::move(bytes));
    const auto archive = std::as_bytes(std::span(*held)).subspan(shift);
    TILERIG_TRY(const NpzReader reader, NpzReader::parse(archive, held, "x.npz", options));
    return reader.stream("x");
  }

  TemporaryFolder folder;
  const std::string path = folder.path("x.npz");
};

TEST(TensorStream, OfATensorInMemory) {
  Random random(1);
  const Tensor tensor = randomTensor(DType::f32, {3, 5}, random);
  expectSame(tensor, tensor);
}

TEST(TensorStream, OfFilesAndOfArchivesThatAreNotAligned) {
  Random random(2);
  for (DType type : {DType::f16, DType::f32, DType::c64, DType::i64, DType::boolean}) {
    const Tensor tensor = randomTensor(type, {rows, 2 * columns}, random);
    for (bool deflate : {false, true}) {
      const Archive archive(tensor, deflate);
      auto fromFile = NpzReader::open(archive.path)->stream("x");
      ASSERT_TRUE(fromFile) << messageOf(fromFile);
      expectSame(*fromFile, tensor);
      for (size_t shift : {0, 1, 3}) {
        auto shifted = Archive::streamOf(archive.bytes(), shift);
        ASSERT_TRUE(shifted) << messageOf(shifted);
        expectSame(*shifted, tensor);
      }
    }
  }
}

TEST(TensorStream, OfWhatIsSmall) {
  Random random(3);
  const Tensor tensor = randomTensor(DType::f32, {7}, random);
  const Archive archive(tensor, true);
  expectSame(*NpzReader::open(archive.path)->stream("x"), tensor);
  EXPECT_REFUSED(NpzReader::open(archive.path)->stream("y"), "no tensor named 'y'");
}

TEST(TensorStream, BitsAsAnotherType) {
  Random random(4);
  const Tensor bits = randomTensor(DType::u16, {rows, columns}, random);
  for (bool deflate : {false, true}) {
    const Archive archive(bits, deflate);
    const TensorStream stream = *NpzReader::open(archive.path)->stream("x");
    expectSame(*stream.reinterpreted(DType::bf16), *bits.reinterpreted(DType::bf16));
    EXPECT_REFUSED(stream.reinterpreted(DType::f32), "bits of uint16 cannot be read as float32");
  }
}

TEST(TensorStream, DamageIsFoundOnTheWayOrBefore) {
  Random random(5);
  const Tensor tensor = randomTensor(DType::u8, {rows, 2 * columns}, random);
  const auto readDamaged = [&](bool deflate, size_t at, NpzReadOptions options = {}) -> Status {
    std::string bytes = Archive(tensor, deflate).bytes();
    bytes[at < bytes.size() ? at : bytes.size() / 2] ^= 1;
    TILERIG_TRY(const TensorStream stream, Archive::streamOf(std::move(bytes), 0, options));
    TILERIG_TRY(const auto all, readAll(stream, 1 << 16));
    return all.size() == tensor.sizeBytes() ? success() : Status(internalError("", "too few bytes"));
  };
  for (bool deflate : {false, true})
    for (size_t at : {size_t{1000}, size_t{1'000'000}, SIZE_MAX})
      EXPECT_REFUSED(readDamaged(deflate, at), "x.npz: entry 'x.npy'");
  EXPECT_TRUE(readDamaged(false, 1000, {.checkSums = false}));
}

TEST(TensorStream, BoolsAreZeroOrOneAlsoFarBehind) {
  Tensor tensor(DType::u8, {3 << 20});
  tensor.mutableBytes()[(5 << 19) + 3] = std::byte{2};
  for (bool deflate : {false, true}) {
    TemporaryFolder folder;
    auto zip = ZipWriter::create(folder.path("x.npz"), {deflate});
    const std::string head = formatNpyHeader(DType::boolean, tensor.shape());
    ASSERT_TRUE(zip->add("x.npy", std::as_bytes(std::span(head)), tensor.bytes()));
    ASSERT_TRUE(zip->commit());
    auto stream = NpzReader::open(folder.path("x.npz"))->stream("x");
    EXPECT_REFUSED(stream ? readAll(*stream, 1 << 16) : Result<std::vector<std::byte>>(stream.error()),
                   "entry 'x.npy': element 2621443 of a bool tensor is 2");
  }
}

} // namespace

} // namespace tilerig
