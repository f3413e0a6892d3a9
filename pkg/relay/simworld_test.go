package relay

import (
	"github.com/scorelay/scorelay/pkg/heads"
	"github.com/scorelay/scorelay/pkg/relay/rig/model"
)

var (
	_ heads.Chain = (*model.Client)(nil)
	_ Chain       = (*model.Client)(nil)
	_ Journal     = (*model.Journal)(nil)
	_ Source      = (*simSource)(nil)
	_ Statuses    = (*simStatuses)(nil)
)
