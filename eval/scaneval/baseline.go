package scaneval

import (
	"context"
	"strings"

	"github.com/rs/zerolog"
	"github.com/spf13/viper"
	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/detect"
	"github.com/zricethezav/gitleaks/v8/logging"
)

// Plain returns gitleaks as it comes: its detector, its default rules, its
// allow lists and inline comments.
func Plain() (Judge, error) {
	logging.Logger = zerolog.Nop() // it would log the secrets
	v := viper.New()
	v.SetConfigType("toml")
	if err := v.ReadConfig(strings.NewReader(config.DefaultConfig)); err != nil {
		return nil, err
	}
	var raw config.ViperConfig
	if err := v.Unmarshal(&raw); err != nil {
		return nil, err
	}
	cfg, err := raw.Translate()
	if err != nil {
		return nil, err
	}
	d := detect.NewDetector(cfg)
	return func(ctx context.Context, text string) (bool, error) {
		found := d.DetectContext(ctx, detect.Fragment{Raw: text})
		return len(found) > 0, ctx.Err()
	}, nil
}
