#include "isa/Base/Tensor/Tensor.h"

#include "tests/support/RandomTensor.h"

#include <limits>

namespace tilerig {

static constexpr int64_t huge = std::numeric_limits<int64_t>::max();

TEST(Tensor, IsZeroedAlignedAndOfItsShape) {
  for (DType type : allDTypes()) {
    auto tensor = Tensor::make(type, {2, 3});
    ASSERT_TRUE(tensor);
    EXPECT_EQ(tensor->dtype(), type);
    EXPECT_EQ(tensor->elementCount(), 6u);
    EXPECT_EQ(tensor->sizeBytes(), 6 * sizeBytes(type));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor->bytes().data()) % 64, 0u);
    for (std::byte byte : tensor->bytes())
      EXPECT_EQ(byte, std::byte{0});
  }
}

TEST(Tensor, ScalarsAndEmptyOnesAreTensors) {
  Tensor scalar = Tensor::scalar<int64_t>(-5);
  EXPECT_EQ(scalar.rank(), 0u);
  EXPECT_EQ(scalar.elementCount(), 1u);
  EXPECT_EQ(scalar.as<int64_t>()[0], -5);
  EXPECT_TRUE(scalar.strides().empty());
  Tensor empty(DType::f32, {2, 0, 3});
  EXPECT_EQ(empty.elementCount(), 0u);
  EXPECT_EQ(empty.strides(), (std::vector<int64_t>{3, 3, 1}));
  EXPECT_TRUE(identical(Tensor(), Tensor(DType::f32, {0})));
}

TEST(Tensor, StridesAreRowMajor) {
  EXPECT_EQ(Tensor(DType::i8, {2, 3, 4}).strides(), (std::vector<int64_t>{12, 4, 1}));
}

TEST(Tensor, RefusesImpossibleShapes) {
  EXPECT_REFUSED(Tensor::make(DType::f32, {2, -1}), "dimension -1 in shape [2, -1] is negative");
  EXPECT_REFUSED(Tensor::make(DType::u8, {huge, 2}), "more bytes than there are addresses");
  EXPECT_REFUSED(Tensor::make(DType::f64, {huge / 4}), "more bytes than there are addresses");
  EXPECT_REFUSED(Tensor::make(DType::u8, {huge, huge, huge, 0}), "more bytes than there are addresses");
  EXPECT_REFUSED(Tensor::make(DType::u8, {0, -3}), "is negative");
  EXPECT_REFUSED(Tensor::make(DType::u8, Shape(65, 1)), "65 dimensions");
  EXPECT_TRUE(Tensor::make(DType::u8, Shape(64, 1)));
  EXPECT_EQ(*sizeBytesOf(DType::u8, {huge}), size_t(huge));
  EXPECT_EQ(*sizeBytesOf(DType::u8, {huge, 0}), 0u);
}

#if !defined(__SANITIZE_ADDRESS__)
TEST(Tensor, SaysWhenTheMemoryIsNotThere) {
  EXPECT_REFUSED(Tensor::make(DType::u8, {huge}), "no memory for a tensor of 9223372036854775807 bytes");
}
#endif

TEST(Tensor, CopiesShareUntilWrittenTo) {
  Tensor first = Tensor::of<float>({3}, {1, 2, 3});
  Tensor second = first;
  EXPECT_EQ(first.bytes().data(), second.bytes().data());
  second.mutableAs<float>()[1] = 9;
  EXPECT_NE(first.bytes().data(), second.bytes().data());
  EXPECT_EQ(first.as<float>()[1], 2);
  EXPECT_EQ(second.as<float>()[1], 9);
  // A tensor that shares its bytes with no other tensor is written in place.
  const std::byte *before = second.bytes().data();
  second.mutableAs<float>()[0] = 7;
  EXPECT_EQ(second.bytes().data(), before);
}

TEST(Tensor, ViewsShowTheOwnersBytesAndCopyOnWrite) {
  auto owner = std::make_shared<Tensor>(DType::f32, Shape{1 << 18});
  std::weak_ptr<Tensor> watch = owner;
  owner->mutableAs<float>()[5] = 1.5f;
  auto view = Tensor::view(DType::f32, {1 << 18}, owner->bytes(), owner);
  ASSERT_TRUE(view);
  EXPECT_TRUE(view->isView());
  EXPECT_EQ(view->bytes().data(), owner->bytes().data());
  owner.reset();
  ASSERT_FALSE(watch.expired()) << "a view keeps its owner";
  EXPECT_EQ(view->as<float>()[5], 1.5f);
  view->mutableAs<float>()[5] = 2.5f;
  EXPECT_FALSE(view->isView());
  EXPECT_TRUE(watch.expired()) << "a copy does not";
  EXPECT_EQ(view->as<float>()[5], 2.5f);
  EXPECT_EQ(view->as<float>()[6], 0.0f);
}

TEST(Tensor, CopiesWhatIsSmallMisalignedOrUnowned) {
  auto owner = std::make_shared<std::vector<std::byte>>((1 << 20) + 64);
  std::span<const std::byte> bytes(*owner);
  EXPECT_FALSE(Tensor::view(DType::f32, {4}, bytes.first(16), owner)->isView());
  EXPECT_FALSE(Tensor::view(DType::f32, {1 << 18}, bytes.subspan(1, 1 << 20), owner)->isView());
  EXPECT_TRUE(Tensor::view(DType::u8, {1 << 20}, bytes.subspan(1, 1 << 20), owner)->isView());
  EXPECT_TRUE(Tensor::view(DType::c64, {1 << 17}, bytes.subspan(4, 1 << 20), owner)->isView());
  EXPECT_FALSE(Tensor::view(DType::c128, {1 << 16}, bytes.subspan(4, 1 << 20), owner)->isView());
  EXPECT_FALSE(Tensor::view(DType::f32, {1 << 18}, bytes.first(1 << 20), nullptr)->isView());
}

TEST(Tensor, RefusesViewsOfTheWrongSize) {
  std::vector<std::byte> bytes(15);
  EXPECT_REFUSED(Tensor::view(DType::f32, {4}, bytes, nullptr),
                 "there are 15 bytes of data, but float32 [4] needs 16");
}

TEST(Tensor, TypedAccessIsChecked) {
  Tensor tensor = Tensor::of<int32_t>({2}, {1, -1});
  auto good = tensor.tryAs<int32_t>();
  ASSERT_TRUE(good);
  EXPECT_EQ((*good)[1], -1);
  EXPECT_REFUSED(tensor.tryAs<float>(), "elements have type int32, expected float32");
}

TEST(Tensor, ReshapesAndReinterprets) {
  Tensor tensor = Tensor::of<uint16_t>({2, 2}, {0x3F80, 0, 1, 2});
  auto flat = tensor.reshaped({4});
  ASSERT_TRUE(flat);
  EXPECT_EQ(flat->shape(), Shape{4});
  EXPECT_EQ(flat->bytes().data(), tensor.bytes().data());
  EXPECT_REFUSED(tensor.reshaped({5}), "shape [2, 2] cannot be reshaped to [5]");
  EXPECT_REFUSED(tensor.reshaped({-4}), "negative");
  auto brain = tensor.reinterpreted(DType::bf16);
  ASSERT_TRUE(brain);
  EXPECT_EQ(brain->as<BFloat16>()[0].bits, 0x3F80);
  EXPECT_REFUSED(tensor.reinterpreted(DType::f32), "bits of uint16 cannot be read as float32");
  EXPECT_REFUSED(Tensor::scalar<uint8_t>(2).reinterpreted(DType::boolean), "expected 0 or 1");
}

TEST(Tensor, IdentityIsOfBits) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(identical(Tensor::scalar(nan), Tensor::scalar(nan)));
  EXPECT_FALSE(identical(Tensor::scalar(0.0f), Tensor::scalar(-0.0f)));
  EXPECT_FALSE(identical(Tensor(DType::i8, {2}), Tensor(DType::u8, {2})));
  EXPECT_FALSE(identical(Tensor(DType::i8, {2, 1}), Tensor(DType::i8, {1, 2})));
}

} // namespace tilerig
