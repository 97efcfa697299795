// Constants of the zip format that reader and writer share (PKWARE's APPNOTE.TXT, 4.3 to 4.5).
#pragma once

#include <cstdint>

namespace tilerig::zip {

inline constexpr uint32_t localSignature = 0x04034b50, directorySignature = 0x02014b50,
                          endSignature = 0x06054b50, end64Signature = 0x06064b50,
                          locatorSignature = 0x07064b50, descriptorSignature = 0x08074b50;

inline constexpr uint64_t localBytes = 30, directoryBytes = 46, endBytes = 22, end64Bytes = 56,
                          locatorBytes = 20;

inline constexpr uint16_t stored = 0, deflated = 8;

inline constexpr uint16_t encryptedFlag = 1 << 0, descriptorFlag = 1 << 3, patchFlag = 1 << 5,
                          strongEncryptionFlag = 1 << 6, utf8Flag = 1 << 11, maskedFlag = 1 << 13;

// Marker values: a 16- or 32-bit field with this value has its real value in the zip64 records.
inline constexpr uint64_t in64 = 0xFFFFFFFF, in64Short = 0xFFFF;
inline constexpr uint16_t zip64Extra = 0x0001;

} // namespace tilerig::zip
