#include "isa/Base/Tensor/Npy.h"

#include "tests/support/RandomTensor.h"
#include "tests/support/TemporaryFolder.h"

#include <algorithm>

namespace tilerig {

// An .npy file with the given dictionary, padded as the format requires.
static std::string npyFile(std::string dictionary, std::string data, int major = 1, size_t alignment = 64) {
  size_t begin = major == 1 ? 10 : 12;
  dictionary.resize((begin + dictionary.size() + 1 + alignment - 1) / alignment * alignment - begin - 1, ' ');
  dictionary += '\n';
  std::string file = "\x93NUMPY";
  file += {static_cast<char>(major), '\0'};
  for (size_t byte = 0; byte < begin - 8; ++byte)
    file += static_cast<char>(dictionary.size() >> 8 * byte);
  return file + dictionary + data;
}

static Result<Tensor> parse(const std::string &file) {
  return parseNpy(std::as_bytes(std::span(file)), nullptr, "x.npy");
}

static std::string dictionary(const std::string &descr, const std::string &shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }";
}

TEST(Npy, RoundTripsEveryTypeAndRandomShapes) {
  TemporaryFolder folder;
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    Tensor tensor = randomTensor(random);
    ASSERT_TRUE(writeNpy(folder.path("x.npy"), tensor));
    auto read = readNpy(folder.path("x.npy"));
    ASSERT_TRUE(read) << messageOf(read);
    EXPECT_TRUE(identical(*read, asInNpy(tensor))) << describe(tensor);
  }
}

// The example in numpy's documentation of the format, written by hand.
TEST(Npy, HeaderIsWhatTheFormatSays) {
  std::string header = formatNpyHeader(DType::f32, {2, 3});
  EXPECT_EQ(header.size(), 128u);
  EXPECT_EQ(header.substr(0, 10), std::string("\x93NUMPY\1\0\x76\0", 10));
  EXPECT_TRUE(header.substr(10).starts_with("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }  "));
  EXPECT_EQ(header.back(), '\n');
  EXPECT_NE(formatNpyHeader(DType::u8, {7}).find("'shape': (7,), }"), std::string::npos);
  EXPECT_NE(formatNpyHeader(DType::u8, {}).find("'shape': (), }"), std::string::npos);
}

TEST(Npy, ReadsAllVersionsAndOldAlignment) {
  for (int major : {1, 2, 3})
    for (size_t alignment : {16, 64}) {
      auto tensor =
          parse(npyFile(dictionary("<i2", "(2,)"), std::string("\1\0\xFF\xFF", 4), major, alignment));
      ASSERT_TRUE(tensor) << messageOf(tensor);
      EXPECT_TRUE(identical(*tensor, Tensor::of<int16_t>({2}, {1, -1})));
    }
}

TEST(Npy, ReadsDictionariesAsOtherWritersSpellThem) {
  Tensor expected = Tensor::of<uint8_t>({1, 2}, {65, 66});
  for (const char *text : {"{'shape':(1,2),'fortran_order':False,'descr':'|u1'}",
                           "{\"descr\": \"|u1\", \"fortran_order\": False, \"shape\": (1, 2,)}",
                           "{ 'descr' : '<u1' , 'fortran_order' : False , 'shape' : ( 1 , 2 ) , }",
                           "{'descr': '>u1', 'fortran_order': False, 'shape': (1L, 2L), }"}) {
    auto tensor = parse(npyFile(text, "AB"));
    ASSERT_TRUE(tensor) << text << messageOf(tensor);
    EXPECT_TRUE(identical(*tensor, expected)) << text;
  }
}

TEST(Npy, ConvertsFortranOrderAndBigEndian) {
  auto columns =
      parse(npyFile(dictionary("<i2", "(2, 3)", true), std::string("\1\0\4\0\2\0\5\0\3\0\6\0", 12)));
  ASSERT_TRUE(columns) << messageOf(columns);
  EXPECT_TRUE(identical(*columns, Tensor::of<int16_t>({2, 3}, {1, 2, 3, 4, 5, 6})));
  auto big = parse(npyFile(dictionary(">u4", "(2,)"), std::string("\1\2\3\4\0\0\0\5", 8)));
  ASSERT_TRUE(big) << messageOf(big);
  EXPECT_TRUE(identical(*big, Tensor::of<uint32_t>({2}, {0x01020304, 5})));
  // A big-endian complex number: the bytes of each of its two parts are reversed separately.
  auto complex = parse(npyFile(dictionary(">c8", "()"), std::string("\x3F\x80\0\0\xC0\0\0\0", 8)));
  ASSERT_TRUE(complex) << messageOf(complex);
  EXPECT_TRUE(identical(*complex, Tensor::scalar(std::complex<float>(1, -2))));
}

TEST(Npy, RefusesBadDictionaries) {
  const std::pair<const char *, const char *> cases[] = {
      {"", "expected {"},
      {"{", "expected a string"},
      {"{}", "key 'descr' is missing"},
      {"{'descr': '<f4'}", "key 'fortran_order' is missing"},
      {"{'descr': '<f4', 'fortran_order': False}", "key 'shape' is missing"},
      {"{'descr': '<f4' 'fortran_order': False}", "expected , or }"},
      {"{'descr': '<f4', 'descr': '<f4'}", "key 'descr' is given twice"},
      {"{'descr': '<f4', 'colour': 'red'}", "expected descr"},
      {"{'descr' '<f4'}", "expected :"},
      {"{'descr': 4}", "expected a string"},
      {"{'descr': '<f4", "no closing quote"},
      {"{'descr': '<f\\x34'}", "backslash"},
      {"{'fortran_order': 0}", "expected True or False"},
      {"{'shape': [2, 3]}", "expected ("},
      {"{'shape': 3}", "expected ("},
      {"{'shape': (3)}", "a number, not a tuple"},
      {"{'shape': (3 4)}", "expected , or )"},
      {"{'shape': (,)}", "expected a dimension"},
      {"{'shape': ((2, 3), 4)}", "expected a dimension"},
      {"{'shape': ((((((((((((((((", "expected a dimension"},
      {"{'shape': (-1,)}", "dimension is negative"},
      {"{'shape': (+1,)}", "expected a dimension"},
      {"{'shape': (1.5,)}", "expected , or )"},
      {"{'shape': (1e3,)}", "expected , or )"},
      {"{'shape': (1_000,)}", "expected , or )"},
      {"{'shape': (0x10,)}", "expected , or )"},
      {"{'shape': (007,)}", "leading zero"},
      {"{'shape': (9223372036854775808,)}", "exceeds 64 bits"},
      {"{'shape': (99999999999999999999999999,)}", "exceeds 64 bits"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} + {}", "text after the dictionary"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807,)}",
       "more bytes than there are"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
       "more bytes than there are"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 0)}",
       "more bytes than there"},
  };
  for (auto [text, words] : cases) {
    SCOPED_TRACE(text);
    EXPECT_REFUSED(parse(npyFile(text, std::string(8, '\0'))), words);
  }
  std::string tooMany = "(";
  for (int dim = 0; dim < 65; ++dim)
    tooMany += "1,";
  EXPECT_REFUSED(parse(npyFile(dictionary("<f4", tooMany + ")"), "1234")), "more than 64 dimensions");
}

TEST(Npy, PlacesAnErrorAtItsByte) {
  EXPECT_EQ(messageOf(parse(npyFile("{'descr': 4}", ""))),
            "x.npy: invalid npy header at byte 20 of the file: expected a string");
}

TEST(Npy, RefusesTypesThatAreNoNumbersWithAReason) {
  const std::pair<const char *, const char *> cases[] = {
      {"|O", "Python objects"}, {"|S5", "byte strings"}, {"<U3", "text"},
      {"<M8[ns]", "dates"},     {"<m8[D]", "time diff"}, {"|V2", "store bfloat16 as its bits"},
      {"|V8", "raw bytes"},     {"<f16", "extended"},    {"<c32", "extended"},
      {"<f3", "unknown type"},  {"f4", "unknown type"},  {"", "unknown type"},
      {"<", "unknown type"},    {"|f4", "unknown type"}, {"<f4 ", "unknown type"},
      {"<b2", "unknown type"},  {"=f4", "unknown type"}, {"<i16", "unknown type"}};
  for (auto [descr, words] : cases) {
    SCOPED_TRACE(descr);
    EXPECT_REFUSED(parse(npyFile(dictionary(descr, "(2,)"), std::string(8, '\0'))), words);
  }
  EXPECT_REFUSED(
      parse(npyFile("{'descr': [('a', '<f4'), ('b', '<i4')], 'fortran_order': False, 'shape': (1,), }",
                    "12345678")),
      "npy type is a structure");
}

TEST(Npy, RefusesBadPreambles) {
  std::string good = npyFile(dictionary("|u1", "(2,)"), "AB");
  ASSERT_TRUE(parse(good));
  auto changed = [&](size_t at, char byte) {
    std::string file = good;
    file[at] = byte;
    return parse(file);
  };
  EXPECT_REFUSED(changed(0, 'x'), "not an .npy file");
  EXPECT_REFUSED(changed(6, 0), "npy version 0.0");
  EXPECT_REFUSED(changed(6, 4), "npy version 4.0");
  EXPECT_REFUSED(changed(7, 1), "npy version 1.1");
  EXPECT_REFUSED(changed(8, good[8] - 1), "not a multiple of 16");
  EXPECT_REFUSED(changed(9, '\x7F'), "truncated in the npy header");
  std::string enormous = npyFile(dictionary("|u1", "(2,)"), "AB", 2);
  enormous[11] = '\x7F';
  EXPECT_REFUSED(parse(enormous), "more than an array of numbers needs");
}

TEST(Npy, RefusesEveryTruncationAndEverySurplus) {
  std::string good = npyFile(dictionary("<f4", "(2, 3)"), std::string(24, 'd'));
  ASSERT_TRUE(parse(good));
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_FALSE(parse(good.substr(0, length))) << length;
  EXPECT_REFUSED(parse(good.substr(0, good.size() - 1)),
                 "truncated: it has 23 bytes of data, but float32 [2, 3]");
  EXPECT_REFUSED(parse(good + "x"), "the file has 1 surplus bytes after the data of float32 [2, 3]");
  EXPECT_REFUSED(parse(""), "not an .npy file");
}

TEST(Npy, RefusesBoolsThatAreNeitherTrueNorFalse) {
  EXPECT_TRUE(parse(npyFile(dictionary("|b1", "(3,)"), std::string("\0\1\1", 3))));
  EXPECT_REFUSED(parse(npyFile(dictionary("|b1", "(3,)"), std::string("\0\1\2", 3))),
                 "element 2 of a bool tensor is 2");
}

TEST(Npy, LargeFilesStayMapped) {
  TemporaryFolder folder;
  Random random(2);
  Tensor large = randomTensor(DType::f32, {513, 513}, random);
  ASSERT_TRUE(writeNpy(folder.path("large.npy"), large));
  auto read = readNpy(folder.path("large.npy"));
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->isView());
  EXPECT_TRUE(identical(*read, large));
  // The file is memory-mapped; overwriting it through our writer must not change the tensor that was read.
  ASSERT_TRUE(writeNpy(folder.path("large.npy"), Tensor(DType::f32, {513, 513})));
  EXPECT_TRUE(identical(*read, large));
}

TEST(Npy, NamesTheFileInErrors) {
  TemporaryFolder folder;
  EXPECT_REFUSED(readNpy(folder.path("none.npy")), "none.npy: cannot open");
  ASSERT_TRUE(writeText(folder.path("text.npy"), "hello"));
  EXPECT_REFUSED(readNpy(folder.path("text.npy")), "text.npy: the file is not an .npy file");
  EXPECT_REFUSED(writeNpy(folder.path("no/x.npy"), Tensor()), "does not exist");
}

} // namespace tilerig
