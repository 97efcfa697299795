#include "isa/Base/Tensor/Npz.h"

#include "isa/Base/Tensor/Npy.h"
#include "tests/support/RandomTensor.h"
#include "tests/support/TemporaryFolder.h"

#include <algorithm>

namespace tilerig {

static TensorMap randomMap(Random &random, size_t count) {
  TensorMap tensors;
  for (size_t number = 0; number < count; ++number)
    EXPECT_TRUE(tensors.add("layer/" + std::to_string(number) + ":0", randomTensor(random)));
  return tensors;
}

static void expectSame(const TensorMap &read, const TensorMap &written) {
  ASSERT_EQ(read.size(), written.size());
  auto at = read.begin();
  for (const NamedTensor &entry : written) {
    EXPECT_EQ(at->name, entry.name);
    EXPECT_TRUE(identical(at->tensor, asInNpy(entry.tensor))) << entry.name << describe(entry.tensor);
    ++at;
  }
}

static std::string bytesOf(const std::string &path) { return *readText(path); }

static Result<TensorMap> loadBytes(const std::string &archive, NpzReadOptions options = {}) {
  auto reader = NpzReader::parse(std::as_bytes(std::span(archive)), nullptr, "x.npz", options);
  return reader ? reader->loadAll() : Result<TensorMap>(reader.error());
}

// Archives with stored and with deflated entries; each also with zip64 sizes and offsets for all entries, and
// for large entries only.
static const ZipWriteOptions allForms[] = {{false}, {true}, {false, 0}, {true, 0}, {false, 200}, {true, 200}};

TEST(Npz, RoundTripsRandomTensorsInEveryForm) {
  TemporaryFolder folder;
  Random random(1);
  for (const ZipWriteOptions &form : allForms)
    for (size_t count : {0, 1, 2, 40}) {
      TensorMap tensors = randomMap(random, count);
      ASSERT_TRUE(writeNpz(folder.path("x.npz"), tensors, form));
      auto read = readNpz(folder.path("x.npz"));
      ASSERT_TRUE(read) << messageOf(read);
      expectSame(*read, tensors);
    }
}

TEST(Npz, WritesTheSameBytesEveryTime) {
  TemporaryFolder folder;
  for (const ZipWriteOptions &form : allForms) {
    Random first(7), second(7);
    ASSERT_TRUE(writeNpz(folder.path("1.npz"), randomMap(first, 5), form));
    ASSERT_TRUE(writeNpz(folder.path("2.npz"), randomMap(second, 5), form));
    EXPECT_EQ(bytesOf(folder.path("1.npz")), bytesOf(folder.path("2.npz")));
  }
}

TEST(Npz, WritesAsMuchToAPipe) {
  TemporaryFolder folder;
  Random random(8);
  TensorMap tensors = randomMap(random, 3);
  ASSERT_TRUE(writeNpz(folder.path("x.npz"), tensors, {true}));
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0); // the archive fits in the pipe's buffer, so no reader is needed meanwhile
  ASSERT_TRUE(writeNpz("/dev/fd/" + std::to_string(ends[1]), tensors, {true}));
  ::close(ends[1]);
  std::string received(1 << 20, '\0');
  ssize_t got = 0;
  for (ssize_t more; (more = ::read(ends[0], received.data() + got, received.size() - got)) > 0;)
    got += more;
  ::close(ends[0]);
  EXPECT_EQ(received.substr(0, got), bytesOf(folder.path("x.npz")));
}

TEST(Npz, OurStoredTensorsAreViewsOfTheFile) {
  TemporaryFolder folder;
  Random random(2);
  TensorMap tensors;
  for (DType type : {DType::f32, DType::c128, DType::f16})
    for (const char *name : {"", "x", "a longer name"})
      ASSERT_TRUE(tensors.add(std::string(nameOf(type)) + name, randomTensor(type, {131073, 5}, random)));
  ASSERT_TRUE(writeNpz(folder.path("x.npz"), tensors));
  auto reader = NpzReader::open(folder.path("x.npz"));
  ASSERT_TRUE(reader);
  for (const NamedTensor &entry : tensors) {
    auto read = reader->load(entry.name);
    ASSERT_TRUE(read) << messageOf(read);
    EXPECT_TRUE(read->isView());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(read->bytes().data()) % 64, 0u);
    EXPECT_TRUE(identical(*read, entry.tensor));
  }
}

TEST(Npz, ViewsOutliveTheReader) {
  TemporaryFolder folder;
  Random random(3);
  Tensor large = randomTensor(DType::u8, {1 << 21}, random);
  TensorMap tensors;
  ASSERT_TRUE(tensors.add("x", large));
  ASSERT_TRUE(writeNpz(folder.path("x.npz"), tensors));
  Tensor view = *NpzReader::open(folder.path("x.npz"))->load("x");
  std::filesystem::remove(folder.path("x.npz"));
  EXPECT_TRUE(view.isView());
  EXPECT_TRUE(identical(view, large));
}

TEST(Npz, TellsShapesWithoutTheData) {
  TemporaryFolder folder;
  for (bool deflate : {false, true}) {
    TensorMap tensors;
    ASSERT_TRUE(tensors.add("b", Tensor(DType::i16, {3, 4})));
    ASSERT_TRUE(tensors.add("a", Tensor(DType::f64, {})));
    ASSERT_TRUE(writeNpz(folder.path("x.npz"), tensors, {deflate}));
    auto reader = NpzReader::open(folder.path("x.npz"));
    ASSERT_TRUE(reader);
    EXPECT_EQ(reader->names(), (std::vector<std::string>{"b", "a"}));
    auto header = reader->header("b");
    ASSERT_TRUE(header);
    EXPECT_EQ(header->dtype, DType::i16);
    EXPECT_EQ(header->shape, (Shape{3, 4}));
    EXPECT_REFUSED(reader->header("c"), "no tensor named 'c'; available tensors: 'b', 'a'");
    EXPECT_REFUSED(reader->load("c"), "no tensor named 'c'");
  }
}

TEST(Npz, RefusesEveryTruncation) {
  TemporaryFolder folder;
  Random random(4);
  for (const ZipWriteOptions &form :
       {ZipWriteOptions{false}, ZipWriteOptions{true}, ZipWriteOptions{false, 0}}) {
    ASSERT_TRUE(writeNpz(folder.path("x.npz"), randomMap(random, 3), form));
    std::string archive = bytesOf(folder.path("x.npz"));
    ASSERT_TRUE(loadBytes(archive));
    for (size_t length = 0; length < archive.size(); ++length)
      EXPECT_FALSE(loadBytes(archive.substr(0, length))) << length;
  }
}

// A flipped bit in an npz archive is refused, unless it lies in an unused field (times, attributes, padding)
// and changes nothing.
TEST(Npz, NoFlippedBitGoesUnnoticed) {
  TemporaryFolder folder;
  Random random(5);
  for (const ZipWriteOptions &form : allForms) {
    TensorMap tensors;
    ASSERT_TRUE(tensors.add("x", randomTensor(DType::i16, {3, 5}, random)));
    ASSERT_TRUE(tensors.add("y", randomTensor(DType::f32, {}, random)));
    ASSERT_TRUE(writeNpz(folder.path("x.npz"), tensors, form));
    std::string archive = bytesOf(folder.path("x.npz"));
    size_t accepted = 0;
    for (size_t bit = 0; bit < archive.size() * 8; ++bit) {
      std::string damaged = archive;
      damaged[bit / 8] ^= static_cast<char>(1 << bit % 8);
      auto read = loadBytes(damaged);
      if (!read)
        continue;
      ++accepted;
      for (const NamedTensor &entry : *read) {
        const Tensor *original = tensors.find(entry.name);
        EXPECT_TRUE(original && identical(entry.tensor, *original)) << "bit " << bit;
      }
    }
    EXPECT_LT(accepted, archive.size() * 8 / 2);
  }
}

TEST(Npz, ChecksSumsUnlessToldNotTo) {
  TemporaryFolder folder;
  for (bool deflate : {false, true}) {
    TensorMap tensors;
    ASSERT_TRUE(tensors.add("x", Tensor::of<uint8_t>({4}, {1, 2, 3, 4})));
    ASSERT_TRUE(writeNpz(folder.path("x.npz"), tensors, {deflate}));
    std::string archive = bytesOf(folder.path("x.npz"));
    size_t inLocal = 14, inLine = archive.find("PK\1\2") + 16;
    archive[inLine] ^= 1;
    archive[inLocal] ^= deflate ? 0 : 1;
    EXPECT_REFUSED(loadBytes(archive), "x.npz: entry 'x.npy': the entry is damaged: its CRC-32 is");
    EXPECT_TRUE(loadBytes(archive, {.checkSums = false}));
  }
}

TEST(Npz, RefusesNamesThatZipCannotHold) {
  TemporaryFolder folder;
  auto writer = NpzWriter::create(folder.path("x.npz"));
  ASSERT_TRUE(writer);
  EXPECT_TRUE(writer->add("gr\xC3\xB6\xC3\x9F"
                          "e",
                          Tensor()));
  EXPECT_TRUE(writer->add("", Tensor()));
  EXPECT_REFUSED(writer->add("", Tensor()), "two entries named '.npy'");
  EXPECT_REFUSED(writer->add("\xE4", Tensor()), "not UTF-8");
  EXPECT_REFUSED(writer->add(std::string_view("a\0b", 3), Tensor()), "not UTF-8");
  EXPECT_REFUSED(writer->add(std::string(65536, 'n'), Tensor()), "more than zip can hold");
  ASSERT_TRUE(writer->commit());
  EXPECT_EQ(NpzReader::open(folder.path("x.npz"))->names(), (std::vector<std::string>{"gr\xC3\xB6\xC3\x9F"
                                                                                      "e",
                                                                                      ""}));
}

TEST(Npz, RefusesTwoEntriesThatMakeOneName) {
  TemporaryFolder folder;
  auto zip = ZipWriter::create(folder.path("x.npz"), {});
  std::string npy = formatNpyHeader(DType::u8, {0});
  ASSERT_TRUE(zip->add("a.npy", std::as_bytes(std::span(npy)), {}));
  ASSERT_TRUE(zip->add("a", std::as_bytes(std::span(npy)), {}));
  ASSERT_TRUE(zip->commit());
  EXPECT_REFUSED(NpzReader::open(folder.path("x.npz")), "two tensors named 'a'");
}

// A well-formed archive whose contents disagree with their npy header.
TEST(Npz, RefusesContentsThatDisagreeWithTheirHeader) {
  TemporaryFolder folder;
  auto load = [&](const std::string &head, const std::string &body, bool deflate) {
    auto zip = ZipWriter::create(folder.path("x.npz"), {deflate});
    EXPECT_TRUE(zip->add("a.npy", std::as_bytes(std::span(head)), std::as_bytes(std::span(body))));
    EXPECT_TRUE(zip->commit());
    return readNpz(folder.path("x.npz"));
  };
  for (bool deflate : {false, true}) {
    EXPECT_TRUE(load(formatNpyHeader(DType::u8, {3}), "abc", deflate));
    EXPECT_REFUSED(load(formatNpyHeader(DType::u8, {4}), "abc", deflate),
                   "the entry has 3 bytes of data, but uint8 [4] needs 4");
    EXPECT_REFUSED(load(formatNpyHeader(DType::u8, {2}), "abc", deflate),
                   "the entry has 3 bytes of data, but uint8 [2]");
    EXPECT_REFUSED(load(formatNpyHeader(DType::u8, {int64_t{1} << 50}), "abc", deflate), "3 bytes of data");
    EXPECT_REFUSED(load("hello", "", deflate), "entry 'a.npy': the file is not an .npy file");
    EXPECT_REFUSED(load("", "", deflate), "not an .npy file");
    EXPECT_REFUSED(load(formatNpyHeader(DType::boolean, {1}), "x", deflate), "expected 0 or 1");
  }
}

// Zip bombs: a small valid archive with a huge tensor gives a tensor as large as its shape says and takes no
// more memory; an entry that claims more than deflate can produce is refused outright.
TEST(Npz, TakesMemoryOnlyForWhatCanBeThere) {
  TemporaryFolder folder;
  Tensor zeros(DType::u8, {1 << 22});
  TensorMap tensors;
  ASSERT_TRUE(tensors.add("x", zeros));
  ASSERT_TRUE(writeNpz(folder.path("x.npz"), tensors, {true}));
  std::string archive = bytesOf(folder.path("x.npz"));
  EXPECT_LT(archive.size(), 6000u);
  ASSERT_TRUE(loadBytes(archive));
  // The directory claims 1 TiB for the entry's 4 KiB; this needs the zip64 form of sizes.
  ASSERT_TRUE(writeNpz(folder.path("y.npz"), tensors, {true, 0}));
  archive = bytesOf(folder.path("y.npz"));
  size_t line = archive.rfind("PK\1\2"), size = line + 46 + 5 + 4;
  archive.replace(size, 8, std::string("\0\0\0\0\0\1\0\0", 8));
  EXPECT_REFUSED(loadBytes(archive), "claims 1099511627776 bytes, but");
}

TEST(Npz, AnAbandonedWriterLeavesNothing) {
  TemporaryFolder folder;
  {
    auto writer = NpzWriter::create(folder.path("x.npz"));
    ASSERT_TRUE(writer->add("x", Tensor()));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Npz, DoesNotCommitAfterAFailedWrite) {
  if (!std::filesystem::exists("/dev/full"))
    GTEST_SKIP() << "no /dev/full here";
  auto writer = NpzWriter::create("/dev/full");
  ASSERT_TRUE(writer);
  EXPECT_REFUSED(writer->add("x", Tensor()), "cannot write");
  EXPECT_REFUSED(writer->commit(), "an entry could not be written");
}

TEST(Npz, RefusesOtherFiles) {
  TemporaryFolder folder;
  ASSERT_TRUE(writeText(folder.path("x.npz"), "hello, this is no archive at all"));
  EXPECT_REFUSED(NpzReader::open(folder.path("x.npz")),
                 "x.npz: the file is not a zip archive, or is truncated");
  EXPECT_REFUSED(NpzReader::open(folder.path("none.npz")), "No such file");
}

} // namespace tilerig
