// Functions that describe the networks of the zoo; each family has its own source file.
#pragma once

#include "models/Builder/GraphBuilder.h"
#include "models/Networks/Catalogue.h"

namespace tilerig::models {

Network alexNet(const Variant &variant);
Network vgg16(const Variant &variant);
Network vgg19(const Variant &variant);
Network squeezeNet(const Variant &variant);
Network inceptionV1(const Variant &variant);
Network resNet18(const Variant &variant);
Network resNet50(const Variant &variant);
Network mobileNetV1(const Variant &variant);
Network mobileNetV2(const Variant &variant);
Network ssdResNet50(const Variant &variant);
Network bertTiny(const Variant &variant);
Network vitTiny(const Variant &variant);
Network lstmTagger(const Variant &variant);
Network uNet(const Variant &variant);
Network videoResNet(const Variant &variant);
Network translator(const Variant &variant);
Network decoderTiny(const Variant &variant);
Network gruSpeech(const Variant &variant);

// The input of image networks: "image", with three channels, normalised to about ±2.
inline Value imageInput(GraphBuilder &g, const Variant &variant) {
  return g.input("image", DType::f32, {variant.batch, 3, variant.imageSize, variant.imageSize});
}

inline constexpr int64_t imageNetClasses = 1000;

} // namespace tilerig::models
