// SPDX-License-Identifier: Apache-2.0
// The mark of what libsmp.so shows of the model; the same as in
// smp/base/Export.h, which a leaf may not include.

#ifndef SMP_MODEL_EXPORT_H
#define SMP_MODEL_EXPORT_H

#define SMP_API [[gnu::visibility("default")]]

#endif // SMP_MODEL_EXPORT_H
