package relay

import (
	"github.com/scorelay/scorelay/pkg/devnet/rig/model"
	"github.com/scorelay/scorelay/pkg/heads"
)

var (
	_ heads.Chain = (*model.Client)(nil)
	_ Chain       = (*model.Client)(nil)
	_ Journal     = (*model.Journal)(nil)
	_ Source      = (*simSource)(nil)
	_ Statuses    = (*simStatuses)(nil)
)
