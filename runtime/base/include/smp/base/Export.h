// SPDX-License-Identifier: Apache-2.0
// What libsmp.so shows to the application; all else is hidden.

#ifndef SMP_BASE_EXPORT_H
#define SMP_BASE_EXPORT_H

#define SMP_API [[gnu::visibility("default")]]

#endif // SMP_BASE_EXPORT_H
