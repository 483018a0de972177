/* Everything an embedder needs: include this one. */
#ifndef BERTH_BERTH_H
#define BERTH_BERTH_H

#include "berth/branch.h"
#include "berth/engine.h"
#include "berth/kube.h"
#include "berth/objects.h"
#include "berth/output.h"
#include "berth/plugin.h"
#include "berth/profile.h"
#include "berth/query.h"
#include "berth/read.h"
#include "berth/scheduler.h"
#include "berth/snapshot.h"
#include "berth/statistics.h"
#include "berth/status.h"
#include "berth/template.h"
#include "berth/transaction.h"

#endif
